package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.MountedImage;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A drive that fills up refuses writes and nothing else, and takes them again by itself.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class FullDriveTest {
    private static final long IMAGE = 160L << 20;
    private static final long RESERVE = 16L << 20;
    private static final int OBJECT = 4 << 20;
    private static final int INSUFFICIENT_STORAGE = 507;
    private static final int WRITERS = 4;
    private static final int BLOCK = 4096;
    private static final Duration SOON = Duration.ofSeconds(20);

    /// Three sound probes, and some for a busy machine.
    private static final Duration BACK = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private interface Afterwards {
        void run(SluiceCluster cluster, AcknowledgedWrites writes, Path filler) throws IOException;
    }

    @Test
    void aFullDriveRefusesWritesReadsOnAndRecoversByItself() throws IOException {
        fillUp((_, _, _) -> {});
    }

    @Tag("long")
    @Test
    void aTargetStartsWithoutItsFullDriveAndTakesItBackByItself() throws IOException {
        fillUp((cluster, writes, filler) -> {
            cluster.down();
            fill(filler);
            cluster.up(); // the target starts without a drive that has no room for its index
            assertThat(writes.put("refused", 100)).as("without its drive").isFalse();
            Files.delete(filler);
            Eventually.holds(
                    BACK, () -> assertThat(writes.put("again", 100_000)).isTrue());
        });
    }

    private void fillUp(Afterwards afterwards) throws IOException {
        try (var image = MountedImage.make(MountedImage.Kind.EXT4, folder, IMAGE);
                var cluster = image.cluster(folder.resolve("cluster"), 1, "16MiB");
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("full"));
            var writes = new AcknowledgedWrites(s3, "full");
            writes.beginUpload("pending");
            int stored = upToTheReserve(writes);
            assertThat(Files.getFileStore(image.path()).getUsableSpace())
                    .as("kept free")
                    .isGreaterThan(RESERVE / 2);
            deleteAndWriteAgain(writes, stored);

            var filler = image.path().resolve("filler");
            fillUnderWrites(filler, writes);
            writes.verify();
            Files.delete(filler);
            Eventually.holds(
                    SOON,
                    () -> assertThat(writes.put("again", 100_000) && writes.delete("race/1"))
                            .as("writes after space has returned")
                            .isTrue());

            afterwards.run(cluster, writes, filler);
            writes.verify();
            writes.completePending();
            writes.verify();
        }
    }

    private static int upToTheReserve(AcknowledgedWrites writes) {
        int stored = 0;
        while (writes.put("big/" + stored, OBJECT)) {
            stored++;
        }
        assertThat(stored).as("objects until the drive was full").isBetween(10, 40);
        assertThat(writes.lastRefusal()).isEqualTo(INSUFFICIENT_STORAGE);
        writes.verify();
        return stored;
    }

    private static void deleteAndWriteAgain(AcknowledgedWrites writes, int stored) {
        for (int i = stored - 4; i < stored; i++) {
            assertThat(writes.delete("big/" + i))
                    .as("a deletion on a full drive")
                    .isTrue();
        }
        Eventually.holds(
                SOON,
                () -> assertThat(writes.put("big/" + stored, OBJECT))
                        .as("space has returned")
                        .isTrue());
        writes.verify();
    }

    /// Somebody else takes all space at once, faster than the store looks, so that writes meet the real error.
    private static void fillUnderWrites(Path filler, AcknowledgedWrites writes) throws IOException {
        var full = new AtomicBoolean();
        try (var writer = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                var key = "race/" + i;
                writer.execute(() -> {
                    for (int n = 0; !full.get(); n++) {
                        writes.put(key, 20_000 + n);
                        writes.delete(key);
                    }
                });
            }
            fill(filler);
            Eventually.holds(
                    SOON,
                    () -> assertThat(writes.put("refused", 100))
                            .as("on a full drive")
                            .isFalse());
            full.set(true);
        }
    }

    /// Takes every last block.
    private static void fill(Path filler) throws IOException {
        for (int piece : new int[] {1 << 20, BLOCK}) {
            try (var out = FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                int written;
                do {
                    written = out.write(ByteBuffer.allocate(piece));
                } while (written == piece);
                out.force(true);
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("No space left");
            }
        }
    }
}
