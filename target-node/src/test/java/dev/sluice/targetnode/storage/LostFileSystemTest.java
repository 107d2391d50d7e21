package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.targetnode.storage.WatchedDrives.CLOSE;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.health.DriveState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real file system under a drive is cut off from its disk (every call is EIO from then on, and nothing unsynced is
/// kept), unmounted, and mounted again. Needs root, loop devices and ext4.
class LostFileSystemTest {
    private static final int OBJECTS = 30;
    private static final String CUT = "import fcntl,os,struct,sys; "
            + "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

    @TempDir
    private Path folder;

    private static boolean succeeds(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as(List.of(command).toString())
                .isTrue();
        return process.exitValue() == 0;
    }

    /// @return the image's file
    private Path mounted(Path drive) throws IOException, InterruptedException {
        var image = folder.resolve("image");
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(256 << 20);
        }
        boolean possible;
        try {
            possible = succeeds("mkfs.ext4", "-q", "-F", "-b", "4096", image.toString()) && mounts(image, drive);
        } catch (IOException missing) {
            possible = false;
        }
        Assumptions.assumeTrue(possible, "an ext4 image cannot be mounted here: this needs root and loop devices");
        return image;
    }

    private static boolean mounts(Path image, Path drive) throws IOException, InterruptedException {
        return succeeds("mount", "-o", "loop,commit=300,noauto_da_alloc", image.toString(), drive.toString());
    }

    @Test
    void itGoesOutCanBeUnmountedAndComesBackWithAllThatWasAcknowledged() throws Exception {
        var paths = StoreFixture.drives(folder, 2);
        var image = mounted(paths.getFirst());
        var mount = paths.getFirst().toString();
        try (var drives = new WatchedDrives(paths, CLOSE)) {
            for (int i = 0; i < OBJECTS; i++) {
                put(drives.store, drives.key(0, i), random(i, 20_000 + i));
                put(drives.store, drives.key(1, i), random(i, 2000));
            }
            assertThat(succeeds("python3", "-c", CUT, mount)).isTrue();
            boolean acknowledged =
                    isPut(drives, drives.key(0, OBJECTS)); // on the other drive, if this one is out by now
            drives.awaitState(0, DriveState.OFFLINE);
            drives.requireUnavailable(0, drives.key(0, 0));
            for (int i = 0; i < OBJECTS; i++) {
                assertThat(get(drives.store, drives.key(1, i))).isEqualTo(random(i, 2000));
            }
            drives.awaitProbes(0, 4);
            assertThat(drives.state(0)).isEqualTo(DriveState.OFFLINE);
            drives.awaitProbes(0, 1); // the drive was closed before that, so nothing of ours is open
            eventually(() -> unmounts(mount), () -> "it cannot be unmounted: " + openFiles(mount));
            drives.awaitProbes(0, 4);
            assertThat(drives.reason(0)).contains("is its disk mounted?");
            assertThat(paths.getFirst()).isEmptyDirectory();

            assertThat(mounts(image, paths.getFirst())).isTrue();
            drives.awaitState(0, DriveState.ONLINE);
            for (int i = 0; i < OBJECTS; i++) {
                assertThat(get(drives.store, drives.key(0, i))).isEqualTo(random(i, 20_000 + i));
            }
            if (acknowledged) {
                assertThat(get(drives.store, drives.key(0, OBJECTS))).isEqualTo(random(77, 100));
            }
            put(drives.store, drives.key(0, 0), random(78, 100));
        } finally {
            succeeds("umount", "-l", mount);
        }
    }

    private static boolean isPut(WatchedDrives drives, String key) {
        try {
            put(drives.store, key, random(77, 100));
            return true;
        } catch (StoreException.DriveFailed | StoreException.Unavailable refused) {
            return false;
        }
    }

    private static boolean unmounts(String mount) {
        try {
            return succeeds("umount", mount);
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String openFiles(String mount) {
        var open = new StringBuilder();
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (var each : descriptors.toList()) {
                if (Files.isSymbolicLink(each)) {
                    var target = Files.readSymbolicLink(each).toString();
                    open.append(target.startsWith(mount) ? target + "\n" : "");
                }
            }
        } catch (IOException failure) {
            open.append(failure);
        }
        return open.toString();
    }
}
