package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.AdoptState;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.planning.RecoveredState;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.controller.files.StateDrive;
import dev.sluice.targetnode.controller.raft.LogCopy;
import dev.sluice.targetnode.controller.raft.LogId;
import dev.sluice.targetnode.controller.raft.SyncedFiles;
import dev.sluice.targetnode.storage.attach.DriveInUseException;
import dev.sluice.targetnode.storage.attach.DriveLock;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Begins the controllers' log again from one copy of it, when no two of three servers start: the way out, not one of
/// the usual ones. No process has the drives meanwhile.
///
/// The new log has another id, one server, and the [RecoveredState] of the copy as its first entry. It is written to a
/// folder beside the old one, and counts from the moment when the file `server` names that: one rename. The file names
/// the old log as barred, too: each server of it ends when it hears of that.
public final class LogRecovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);

    /// Drives are the folder itself, those in it, and those in these.
    private static final int DEPTH = 2;

    /// A server's part of the log that can be used.
    ///
    /// @param state after its last entry
    public record Copy(Path drive, NodeId node, LogId id, LogCopy log, ClusterState state) {}

    private static final Comparator<Copy> NEWEST_FIRST = Comparator.comparingLong(
                    (Copy copy) -> copy.log().term())
            .thenComparingLong(copy -> copy.log().index())
            .reversed();

    private record Found(LogServerFolder folder, Copy copy) {}

    private final Deque<DriveLock> locks = new ArrayDeque<>();
    private final List<Found> found = new ArrayList<>();
    private final List<String> unusable = new ArrayList<>();

    private LogRecovery() {}

    /// Nothing is changed by it.
    ///
    /// @param dir a drive of a controller, or a folder with its drives
    /// @throws IOException with one line for the operator: no copy is there that can be used
    /// @throws DriveInUseException when a process has a drive
    public static LogRecovery open(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            throw new IOException(dir + " is no folder");
        }
        var recovery = new LogRecovery();
        try {
            recovery.look(dir);
            return recovery;
        } catch (IOException | RuntimeException e) {
            recovery.close();
            throw e;
        }
    }

    private void look(Path dir) throws IOException {
        var drives = drives(dir, DEPTH);
        if (drives.isEmpty()) {
            throw new IOException(dir + " is no drive of a target, and has none in it: there is no .sluice/drive.json");
        }
        for (var drive : drives) {
            locks.push(DriveLock.take(drive));
        }
        for (var drive : drives) {
            read(new StateDrive(drive.toString(), drive, true, () -> {}));
        }
        leaveOutReplaced();
        if (found.isEmpty()) {
            throw new IOException("no copy of the controllers' log in %s can be used: %s"
                    .formatted(dir, unusable.isEmpty() ? "no drive has .sluice/control/raft" : unusable));
        }
        requireOneLog(dir);
        found.sort(Comparator.comparing(Found::copy, NEWEST_FIRST));
    }

    private void leaveOutReplaced() {
        var barred =
                found.stream().flatMap(each -> each.folder().barred().stream()).collect(Collectors.toSet());
        found.removeIf(each -> {
            boolean replaced = barred.contains(each.folder().logId());
            if (replaced) {
                unusable.add(LogServerFolder.of(each.folder().drive()) + " was replaced by `cluster recover` before");
            }
            return replaced;
        });
    }

    /// Terms of several logs cannot be compared.
    private void requireOneLog(Path dir) throws IOException {
        var logs = new TreeMap<String, Path>();
        found.forEach(
                each -> logs.put(each.folder().logId().toString(), each.copy().drive()));
        if (logs.size() > 1) {
            throw new IOException("%s has copies of several logs: %s. Name the drive of the one that is to go on"
                    .formatted(dir, logs));
        }
    }

    /// @param depth how far below it others are looked for. A drive has none below it
    private static List<Path> drives(Path dir, int depth) throws IOException {
        if (isDrive(dir)) {
            return List.of(dir);
        }
        var drives = new ArrayList<Path>();
        if (depth > 0) {
            try (var folders = Files.newDirectoryStream(dir, Files::isDirectory)) {
                for (var folder : folders) {
                    drives.addAll(drives(folder, depth - 1));
                }
            } catch (AccessDeniedException _) {
                return List.of(); // lost+found, and others that are none of ours
            }
        }
        drives.sort(Comparator.naturalOrder());
        return drives;
    }

    /// Not the folder of a cluster on this machine, which may be named `.sluice`.
    private static boolean isDrive(Path path) {
        var own = path.resolve(".sluice");
        return Files.exists(own.resolve("drive.json")) || Files.exists(own.resolve("control"));
    }

    private void read(StateDrive drive) {
        if (!Files.exists(LogServerFolder.of(drive))) {
            return;
        }
        try {
            var folder = LogServerFolder.read(drive);
            var log = LogCopy.read(folder.log(), folder.logId());
            var copy = new Copy(drive.path(), RaftLog.node(folder.server()), folder.logId(), log, state(folder, log));
            found.add(new Found(folder, copy));
        } catch (IOException | RuntimeException why) {
            unusable.add(String.valueOf(why.getMessage()));
        }
    }

    private static ClusterState state(LogServerFolder folder, LogCopy log) throws IOException {
        var machine = new AgreedState();
        log.applyTo(machine);
        return machine.newest().orElseThrow(() -> new IOException(folder.log() + " has no state of a cluster"));
    }

    /// Best first: the last entry of the highest term, then the most entries.
    public List<Copy> copies() {
        return found.stream().map(Found::copy).toList();
    }

    /// What is there and cannot be used, and why.
    public List<String> unusable() {
        return List.copyOf(unusable);
    }

    /// From which the log begins again.
    public Copy best() {
        return found.getFirst().copy();
    }

    /// The log begins again from the best copy, with a server of the same node. After a crash there is the old log or
    /// the new one.
    ///
    /// @param now of no earlier recovery of this cluster
    /// @return the id of the new log
    public LogId begin(Instant now) throws IOException {
        if (now.isBefore(RecoveredState.EARLIEST)) {
            throw new IOException("the clock of this machine says %s: set it first".formatted(now));
        }
        var old = found.getFirst().folder();
        var replaced = found.stream().map(each -> each.folder().logId()).collect(Collectors.toSet());
        var next = old.replaced(replaced);
        removeUnfinished(old);
        var state = RecoveredState.of(best().state(), now);
        write(next, state);
        requireOwner(old, next);
        requireWritten(next, state);
        next.write();
        found.subList(1, found.size()).forEach(other -> bar(other.folder(), replaced));
        return next.logId();
    }

    /// So that its server does not start once more. Where that fails, it ends when it hears of the new log.
    private static void bar(LogServerFolder other, Set<LogId> replaced) {
        try {
            other.barring(replaced).write();
        } catch (IOException failed) {
            LOG.warn("{} cannot be marked as replaced", other.log(), failed);
        }
    }

    /// Of a recovery that broke off.
    private static void removeUnfinished(LogServerFolder old) throws IOException {
        try (var all = Files.list(LogServerFolder.of(old.drive()))) {
            for (var path : all.filter(Files::isDirectory).toList()) {
                var name = String.valueOf(path.getFileName());
                if (name.startsWith(LogServerFolder.LOG + "-") && !path.equals(old.log())) {
                    SyncedFiles.deleteAll(path);
                }
            }
        }
    }

    /// Its server elects itself: it is alone.
    private static void write(LogServerFolder next, ClusterState state) throws IOException {
        try (var log = new RaftLog(
                next.log(), next.logId(), next.drive().id(), next.server(), Set.of(next.server()), new NoCalls())) {
            long end = System.nanoTime() + LONGEST.toNanos();
            while (!log.isLeader()) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException(
                            "the new log in %s has no leader within %d s".formatted(next.log(), LONGEST.toSeconds()));
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
            if (!log.propose(new AdoptState(state))) {
                throw new IOException("the new log in " + next.log() + " had entries before its first one");
            }
        } catch (StoreException failed) {
            throw new IOException(
                    "the new log in " + next.log() + " cannot be written: " + failed.getMessage(), failed);
        }
    }

    /// The node could not open the files of another user.
    private static void requireOwner(LogServerFolder old, LogServerFolder next) throws IOException {
        var owner = Files.getOwner(old.log());
        if (!Files.getOwner(next.log()).equals(owner)) {
            SyncedFiles.deleteAll(next.log());
            throw new IOException(
                    "%s belongs to %s: run the command as that user".formatted(old.log(), owner.getName()));
        }
    }

    /// As a start will find it.
    private static void requireWritten(LogServerFolder next, ClusterState state) throws IOException {
        if (!state(next, LogCopy.read(next.log(), next.logId())).equals(state)) {
            throw new IOException("the new log in " + next.log() + " does not have what was written to it");
        }
    }

    @Override
    public void close() throws IOException {
        while (!locks.isEmpty()) {
            locks.pop().close();
        }
    }
}
