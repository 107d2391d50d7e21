package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.attach.DriveSet;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveMarks;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.KeptWritesMark;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.health.Attachment;
import dev.sluice.targetnode.storage.index.DamagedIndexException;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.space.Ballast;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A drive of the target, with all that is needed to open it.
final class AttachedDrive implements Attachment {
    private static final Logger LOG = LoggerFactory.getLogger(AttachedDrive.class);

    private static final int RECORDS_WAITING = 4;

    private final String id;
    private final DrivePool target;
    private final Seams seams;
    private final RocksMemory memory;
    private final DriveSettings settings;
    private final DriveThreads recording;
    private volatile Path path;

    AttachedDrive(String id, Path path, DrivePool target, Seams seams, RocksMemory memory, DriveSettings settings) {
        this.id = id;
        this.path = path;
        this.target = target;
        this.seams = seams;
        this.memory = memory;
        this.settings = settings;
        this.recording = new DriveThreads(id + "-table", 1, RECORDS_WAITING);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Path path() {
        return path;
    }

    void movedTo(Path newPath) {
        path = newPath;
    }

    @Override
    public void whenChanged() {
        target.changed();
    }

    private Optional<Member> member() {
        return Optional.ofNullable(target.tables().current().members().get(id));
    }

    @Override
    public DriveFiles files() throws IOException {
        return seams.files().around(path(), new LocalDriveFiles(path()));
    }

    @Override
    public void requireSame() throws IOException {
        if (member().filter(member -> !member.isPlaced()).isPresent()) {
            throw new DriveRefusedException("another drive took the place of " + id
                    + " (sluice drive attach PATH brings it back, detach --lost " + id + " gives it up)");
        }
        DriveSet.requireSame(id, path);
    }

    @Override
    public boolean isReplaced() {
        return member().filter(member -> DriveSet.isReplaced(path, member)).isPresent();
    }

    @Override
    public void takeReplacement() {
        target.takeReplacement(id, path);
    }

    @Override
    public void takeAgain() throws IOException {
        target.set().takeAgain(id, path);
    }

    @Override
    public KeptWritesMark keptWrites() {
        return KeptWritesMark.of(id);
    }

    @Override
    public Drive open(Suspicion suspicion, boolean newIndex) throws IOException {
        var files = files();
        boolean opened = false;
        try {
            var guarded = new GuardedFiles(files, path());
            var index = seams.index().apply(index(guarded, newIndex));
            opened = true;
            return new Drive(id(), guarded, index, settings, suspicion);
        } finally {
            if (!opened) {
                files.close();
            }
        }
    }

    /// An index that cannot be read is put aside; the drive makes another from its files.
    private DriveIndex index(DriveFiles files, boolean fresh) throws IOException {
        var folder = path.resolve(Layout.INDEX);
        if (fresh && Files.exists(folder)) {
            putAside(files, folder, "the index in " + folder + " is damaged");
        }
        try {
            return own(RocksIndex.open(folder, memory));
        } catch (DamagedIndexException damaged) {
            putAside(files, folder, String.valueOf(damaged.getMessage()));
            return RocksIndex.open(folder, memory);
        }
    }

    /// Two drives whose identities were changed for each other would look for every object where it is not.
    private DriveIndex own(DriveIndex index) throws IOException {
        boolean ours = false;
        try {
            var recorded = DriveMarks.owner(index);
            ours = recorded.isEmpty() || recorded.get().equals(id());
            if (!ours) {
                throw new DriveRefusedException("drive %s is named %s by its .sluice/drive.json and %s by its index: %s"
                        .formatted(path(), id(), recorded.get(), "put each drive's own drive.json back"));
            }
            return index;
        } finally {
            if (!ours) {
                index.close();
            }
        }
    }

    /// Objects may be on the drive by their intents alone, which go with the old index.
    private static void putAside(DriveFiles files, Path folder, String why) throws IOException {
        files.syncAll();
        var aside = folder.resolveSibling("index-damaged-" + System.currentTimeMillis());
        LOG.error("{}; it is put aside as {}", why, aside);
        Files.move(folder, aside);
    }

    @Override
    public void release() throws IOException {
        target.set().release(id);
    }

    @Override
    public void releaseAtEnd() throws IOException {
        if (member().isPresent()) {
            target.set().releaseAtEnd(id, path, target.tables().current());
        } else {
            target.set().retire(id, path);
        }
    }

    /// Never blocks.
    ///
    /// @return completes when the drive has the table, durably
    CompletableFuture<Void> record(DriveTable table, Set<String> asked) {
        return recording.startStep(() -> {
            try {
                target.set().record(id, path, table, asked);
            } catch (IOException failure) {
                if (!madeRoom()) {
                    throw failure;
                }
                target.set().record(id, path, table, asked);
            }
        });
    }

    private boolean madeRoom() throws IOException {
        try (var files = files()) {
            return Ballast.dropWhenFull(files);
        }
    }

    void close() {
        recording.close();
    }
}
