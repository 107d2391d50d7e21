package dev.sluice.targetnode.storage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
}
