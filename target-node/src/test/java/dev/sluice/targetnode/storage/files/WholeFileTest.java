package dev.sluice.targetnode.storage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that are made in one step, on a real file system.
class WholeFileTest {
    private static final byte[] DATA = {1, 2, 3};
    private static final byte[] RECORD = {4, 5};

    @TempDir
    private Path folder;

    @Test
    void itHasItsBytesItsAttributeAndTheModeOfAnyOtherFile() throws Exception {
        onDrive(files -> {
            files.createFolders("a b/ü");
            assertThat(files.createWhole("a b/ü/ß", DATA, RECORD)).isTrue();
            assertThat(files.createWhole("empty", new byte[0], RECORD)).isTrue();
            assertThat(Files.readAllBytes(folder.resolve("a b/ü/ß"))).isEqualTo(DATA);
            assertThat(Files.size(folder.resolve("empty"))).isZero();
            assertThat(files.attribute("a b/ü/ß").orElseThrow()).isEqualTo(RECORD);
            files.create("other").close();
            assertThat(Files.getPosixFilePermissions(folder.resolve("empty")))
                    .isEqualTo(Files.getPosixFilePermissions(folder.resolve("other")));
        });
    }

    @Test
    void whatIsThereStays() throws Exception {
        onDrive(files -> {
            files.createFolders("folder");
            assertThat(files.createWhole("k", DATA, RECORD)).isTrue();
            assertThat(files.createWhole("k", new byte[9], new byte[9])).isFalse();
            assertThat(files.createWhole("folder", DATA, RECORD)).isFalse();
            assertThat(Files.readAllBytes(folder.resolve("k"))).isEqualTo(DATA);
            assertThat(files.attribute("k").orElseThrow()).isEqualTo(RECORD);
        });
    }

    @Test
    void aMissingFolderAndAFileInTheWayAreToldApart() throws Exception {
        onDrive(files -> {
            assertThat(files.createWhole("k", DATA, RECORD)).isTrue();
            assertThatThrownBy(() -> files.createWhole("none/k", DATA, RECORD)).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> files.createWhole("k/l", DATA, RECORD)).isInstanceOf(PathTakenException.class);
        });
    }

    @Test
    void nothingRemainsOfOneThatFailed() throws Exception {
        onDrive(files -> {
            assertThatThrownBy(() -> files.createWhole("k", DATA, new byte[100_000]))
                    .isInstanceOf(IOException.class); // no file system takes an attribute of that length
            assertThat(FolderWalk.isEmpty(files, "")).isTrue();
        });
    }

    private void onDrive(OnDrive step) throws Exception {
        OnDrive.run(folder, step);
    }
}
