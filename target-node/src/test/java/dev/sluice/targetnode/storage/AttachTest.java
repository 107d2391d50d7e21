package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.index.RocksMemory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which drives a target starts with, and which it refuses, in one line.
class AttachTest {
    @TempDir
    private Path folder;

    /// The second process of the test below.
    public static void main(String[] arguments) throws IOException {
        try (var channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            System.out.println(lock.isValid() ? "locked" : "not locked");
            System.out.flush();
            System.in.read();
        }
    }

    private static void requireRefused(List<Path> drives, String... words) {
        assertThatThrownBy(() -> open(drives).close())
                .isInstanceOf(DriveRefusedException.class)
                .message()
                .contains(words)
                .doesNotContain("\n");
    }

    @Test
    void storesOfOneProcessShareOneIndexMemory() throws IOException {
        try (var memory = new RocksMemory(8 << 20, 8 << 20)) {
            var first = StoreFixture.config(drives(folder.resolve("a"), 1), memory);
            var second = StoreFixture.config(drives(folder.resolve("b"), 1), memory);
            long before = memory.used();
            try (var one = ObjectStore.open(first)) {
                put(one, "k", new byte[1]);
                assertThat(memory.used()).isGreaterThan(before);
                try (var two = ObjectStore.open(second)) {
                    put(two, "k", new byte[1]);
                }
                put(one, "after the other is closed", new byte[1]);
                assertThat(get(one, "k")).hasSize(1);
            }
        }
    }

    @Test
    void copiesOfADriveAreRefused() throws IOException {
        var two = drives(folder, 2);
        open(two).close();
        open(two.reversed()).close();
        FaultDrive.copy(two.getFirst(), folder.resolve("copy"));
        requireRefused(List.of(two.get(0), two.get(1), folder.resolve("copy")), "the same drive or copies of one");
        open(two).close();
    }

    @Test
    void drivesWithEachOthersIdentityAreRefused() throws IOException {
        var drives = drives(folder, 2);
        try (var store = open(drives)) {
            put(store, "k", new byte[1]);
        }
        exchangeIdentities(drives);
        requireRefused(drives, "drive.json", "by its index");
        exchangeIdentities(drives);
        try (var store = open(drives)) {
            assertThat(get(store, "k")).hasSize(1);
        }
    }

    private static void exchangeIdentities(List<Path> drives) throws IOException {
        var first = drives.getFirst().resolve(".sluice/drive.json");
        var second = drives.getLast().resolve(".sluice/drive.json");
        var text = Files.readString(first);
        Files.writeString(first, Files.readString(second));
        Files.writeString(second, text);
    }

    @Test
    void aDriveWithEscapedObjectsOnlyIsNotTakenForANewOne() throws IOException {
        var drives = drives(folder, 1);
        try (var store = open(drives)) {
            put(store, "escaped/", new byte[1]);
        }
        Files.delete(drives.getFirst().resolve(".sluice/drive.json"));
        requireRefused(drives, "has objects but no identity");
    }

    @Test
    void drivesOfAnotherTargetOrWithoutIdentityAreRefused() throws IOException {
        var drives = drives(folder, 1);
        try (var store = open(drives)) {
            put(store, "k", new byte[1]);
        }
        var other = StoreFixture.settings(drives).node("target002").build();
        assertThatThrownBy(() -> ObjectStore.open(other))
                .isInstanceOf(DriveRefusedException.class)
                .hasMessageContaining("belongs to node target001");
        var identity = drives.getFirst().resolve(".sluice/drive.json");
        var text = Files.readString(identity);
        Files.writeString(identity, text.replace("target001", "target009"));
        requireRefused(drives, "drive.json is damaged");
        Files.delete(identity);
        requireRefused(drives, "has objects but no identity");
        Files.writeString(identity, text);
        try (var store = open(drives)) {
            assertThat(get(store, "k")).hasSize(1);
        }
    }

    @Test
    void aDriveInUseIsRefused() throws Exception {
        var drives = drives(folder, 1);
        try (var store = open(drives)) {
            requireRefused(drives, "in use by this process");
            put(store, "k", new byte[1]);
        }
        var lock = drives.getFirst().resolve(".sluice/lock");
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var second = new ProcessBuilder(
                        java, "-cp", System.getProperty("java.class.path"), AttachTest.class.getName(), lock.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var said = second.inputReader()) {
            assertThat(said.readLine()).isEqualTo("locked");
            requireRefused(drives, "in use by process " + Files.readString(lock).strip());
        } finally {
            second.destroy();
            second.waitFor();
        }
        open(drives).close();
    }

    @Test
    void aPathThatCannotBeADriveIsRefused() throws IOException {
        var file = Files.createFile(folder.resolve("file"));
        requireRefused(List.of(file), file.toString());
    }

    @Test
    void onlyDriveThreadsMayWaitForADrive() throws IOException {
        try (var store = open(drives(folder, 1))) {
            assertThatThrownBy(DriveThread::assertMayBlock).isInstanceOf(IllegalStateException.class);
            assertThat(store.ready()).isTrue();
        }
        assertThat(config(List.of()).drives()).isEmpty();
    }
}
