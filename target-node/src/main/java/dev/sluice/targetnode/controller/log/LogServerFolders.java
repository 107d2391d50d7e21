package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.files.StateDrives;
import dev.sluice.targetnode.controller.files.StateFiles;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.SyncedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where a node's part of the log may be: on any of its drives. Called on drive threads.
final class LogServerFolders {
    private static final Logger LOG = LoggerFactory.getLogger(LogServerFolders.class);
    private static final String ASIDE = "raft.aside-";
    private static final String OTHER_LOG = "raft.other-log-";
    private static final int KEPT_ASIDE = 2;

    private final StateDrives drives;
    private final NodeId self;

    LogServerFolders(StateDrives drives, NodeId self) {
        this.drives = drives;
        this.self = self;
    }

    /// @param whole newest first
    /// @param damaged drives with a folder that cannot be used, and why
    /// @param away drives that are not there, and not given up
    record Found(List<LogServerFolder> whole, List<Damaged> damaged, List<StateDrive> away) {
        LogServer.Holding holding() {
            if (!whole.isEmpty() || !damaged.isEmpty()) {
                return LogServer.Holding.SOME;
            }
            return away.isEmpty() ? LogServer.Holding.NONE : LogServer.Holding.UNKNOWN;
        }

        Found without(Predicate<StateDrive> drives) {
            return new Found(
                    whole.stream()
                            .filter(folder -> !drives.test(folder.drive()))
                            .toList(),
                    damaged.stream().filter(one -> !drives.test(one.drive())).toList(),
                    away);
        }
    }

    record Damaged(StateDrive drive, String why) {}

    Found find() {
        var whole = new ArrayList<LogServerFolder>();
        var damaged = new ArrayList<Damaged>();
        var away = new ArrayList<StateDrive>();
        for (var drive : drives.now()) {
            if (!isThere(drive)) {
                if (!drives.lost().contains(drive.id())) {
                    away.add(drive);
                }
            } else if (Files.exists(LogServerFolder.of(drive))) {
                try {
                    whole.add(LogServerFolder.read(drive, self));
                } catch (IOException | RuntimeException why) {
                    damaged.add(new Damaged(drive, String.valueOf(why.getMessage())));
                }
            }
        }
        whole.sort(Comparator.comparingLong(LogServerFolder::made).reversed());
        return new Found(whole, damaged, away);
    }

    private static boolean isThere(StateDrive drive) {
        try {
            drive.presence().require();
            return true;
        } catch (RuntimeException away) {
            LOG.debug("{} is not there: {}", drive, away.getMessage());
            return false;
        }
    }

    /// @return empty when there is no drive for it
    Optional<LogServerFolder> make(boolean founder, LogId log, Set<LogId> barred) throws IOException {
        var drive = place();
        return drive.isEmpty()
                ? Optional.empty()
                : Optional.of(LogServerFolder.make(drive.get(), self, founder, log, barred));
    }

    /// Where a new one is made.
    Optional<StateDrive> place() {
        return drives.now().stream()
                .filter(each -> each.keeps() && isThere(each) && !Files.exists(LogServerFolder.of(each)))
                .min(Comparator.comparing(StateDrive::id));
    }

    boolean mayKeep(String drive) {
        return drives.now().stream().anyMatch(each -> each.id().equals(drive) && each.keeps());
    }

    /// It is not looked at any more, and kept for a person to look at.
    void putAside(StateDrive drive) throws IOException {
        var control = LogServerFolder.control(drive);
        var _ = move(drive, ASIDE);
        try (var all = Files.list(control)) {
            for (var old : all.filter(LogServerFolders::isAside)
                    .sorted(Comparator.reverseOrder())
                    .skip(KEPT_ASIDE)
                    .toList()) {
                SyncedFiles.deleteAll(old);
            }
        }
    }

    /// The log of this controller is another one. No start looks at the folder, and only a person deletes it: it may be
    /// all that is left of the log of another cluster.
    ///
    /// @return where it is then
    Path setApart(StateDrive drive) throws IOException {
        return move(drive, OTHER_LOG);
    }

    private static Path move(StateDrive drive, String name) throws IOException {
        var to = LogServerFolder.control(drive).resolve(name + System.currentTimeMillis());
        Files.move(LogServerFolder.of(drive), to, StandardCopyOption.ATOMIC_MOVE);
        SyncedFiles.sync(LogServerFolder.control(drive));
        return to;
    }

    private static boolean isAside(Path path) {
        return path.getFileName().toString().startsWith(ASIDE);
    }

    // ---- the state of a lone controller

    /// Empty when there is none.
    ///
    /// @throws IOException when a drive that cannot be read may have a newer one
    Optional<ClusterState> loneState() throws IOException {
        return new StateFiles(drives, self).load();
    }

    /// The log has it.
    void putLoneStateAside() throws IOException {
        for (var drive : drives.now()) {
            if (isThere(drive) && Files.exists(drive.file())) {
                Files.move(
                        drive.file(), drive.file().resolveSibling("state.before-raft"), StandardCopyOption.ATOMIC_MOVE);
                SyncedFiles.sync(LogServerFolder.control(drive));
            }
        }
    }
}
