package dev.sluice.targetnode.storage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDriveFilesTest {
    @TempDir
    private Path folder;

    private Path drive = Path.of("unset");

    @BeforeEach
    void makeDrive() throws IOException {
        drive = folder.resolve("drive");
        Files.createDirectories(drive.resolve(".sluice"));
    }

    @Test
    void foldersAreMadeAndThoseThatAreThereStay() throws Exception {
        OnDrive.run(drive, files -> {
            files.createFolders("a/b/c");
            files.createFolders("a/b");
            files.createFolders("a/b/d");
            assertThat(drive.resolve("a/b/c")).isDirectory();
            assertThat(drive.resolve("a/b/d")).isDirectory();
            files.create("a/file").close();
            assertThatThrownBy(() -> files.createFolders("a/file")).isInstanceOf(PathTakenException.class);
            assertThatThrownBy(() -> files.createFolders("a/file/b")).isInstanceOf(PathTakenException.class);
        });
    }

    /// Else it would look like a new drive.
    @Test
    void noFolderIsMadeWhereADriveIsGone() throws Exception {
        OnDrive.run(drive, files -> {
            Files.move(drive, folder.resolve("away"));
            assertThatThrownBy(() -> files.createFolders("a/b")).isInstanceOf(NoSuchFileException.class);
            assertThat(drive).doesNotExist();
        });
    }

    @Test
    void noFolderIsMadeOnAnotherDriveNorWhereNoneIsMounted() throws Exception {
        OnDrive.run(drive, files -> {
            var guarded = new GuardedFiles(files, drive);
            Files.move(drive, folder.resolve("away"));
            Files.createDirectory(drive);
            assertThatThrownBy(() -> guarded.createFolders("a/b")).isInstanceOf(NoSuchFileException.class);
            Files.createDirectory(drive.resolve(".sluice"));
            assertThatThrownBy(() -> guarded.createFolders("a/b")).hasMessageContaining("another drive is mounted");
            assertThat(drive.resolve("a")).doesNotExist();
        });
    }

    /// Only asked for whole steps, each once; what it does is seen by the time a sync takes (bench/stream).
    @Test
    void theDriveBeginsToWriteAppendedBytesInSteps() throws Exception {
        var ranges = new ArrayList<Long>();
        OnDrive.run(drive, files -> {
            try (var file = new Appended(files.create("a"), ranges)) {
                var piece = ByteBuffer.allocateDirect(300_000);
                long end = 0;
                for (int i = 0; i < 20; i++) {
                    file.write(end, piece.clear());
                    file.beginSyncBehind(end, piece.capacity());
                    end += piece.capacity();
                }
                file.sync();
            }
            assertThat(Files.size(drive.resolve("a"))).isEqualTo(6_000_000);
        });
        long step = DriveFile.SYNC_STEP;
        assertThat(ranges).containsExactly(0L, step, step, step);
    }

    /// For it is a hint.
    @Test
    void aFileThatHasNoNameAnyMoreIsSyncedNevertheless() throws Exception {
        OnDrive.run(drive, files -> {
            try (var file = files.create("a")) {
                file.write(0, ByteBuffer.allocate(100));
                files.delete("a");
                file.beginSync(0, 100);
                file.sync();
            }
        });
    }

    /// Offset and length of each range.
    private record Appended(DriveFile file, List<Long> ranges) implements DriveFile {
        @Override
        public void beginSync(long offset, long length) {
            ranges.add(offset);
            ranges.add(length);
            file.beginSync(offset, length);
        }

        @Override
        public void write(long offset, ByteBuffer bytes) throws IOException {
            file.write(offset, bytes);
        }

        @Override
        public void writeUncached(long offset, ByteBuffer bytes) throws IOException {
            file.writeUncached(offset, bytes);
        }

        @Override
        public void read(long offset, ByteBuffer into) throws IOException {
            file.read(offset, into);
        }

        @Override
        public void readUncached(long offset, ByteBuffer into) throws IOException {
            file.readUncached(offset, into);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public FileIdentity identity() throws IOException {
            return file.identity();
        }

        @Override
        public boolean isCached(long offset, int length) {
            return file.isCached(offset, length);
        }

        @Override
        public boolean readAtOnce(long offset, ByteBuffer into) {
            return file.readAtOnce(offset, into);
        }

        @Override
        public long sendAtOnce(long offset, long length, int socket) {
            return file.sendAtOnce(offset, length, socket);
        }

        @Override
        public void expectRead(long offset, long length) {
            file.expectRead(offset, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
