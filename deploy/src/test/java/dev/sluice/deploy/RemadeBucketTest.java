package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/// A bucket is deleted and made again while a target is away, which then comes back with objects of the old one.
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class RemadeBucketTest {
    private static final String BUCKET = "two";
    private static final int OLD_BYTES = 1000;
    private static final int NEW_BYTES = 2000;
    private static final List<String> OLD =
            IntStream.range(0, 60).mapToObj("old-%03d"::formatted).toList();
    private static final List<String> NEW =
            IntStream.range(30, 90).mapToObj("old-%03d"::formatted).toList();
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static void put(S3Client s3, String key, int bytes) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(Content.of(key, bytes)));
    }

    private static void requireNew(S3Client s3) {
        assertThat(s3.listObjectsV2(request -> request.bucket(BUCKET)).contents())
                .extracting(S3Object::key)
                .isEqualTo(NEW);
        for (var key : NEW) {
            assertThat(s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key))
                            .asByteArray())
                    .as(key)
                    .isEqualTo(Content.of(key, NEW_BYTES));
        }
    }

    private static long filesOfOld(List<Path> drives) {
        return drives.stream()
                .map(drive -> drive.resolve("objects").resolve(BUCKET))
                .mapToLong(RemadeBucketTest::filesOfOld)
                .sum();
    }

    private static long filesOfOld(Path bucket) {
        try (var files = Files.walk(bucket)) {
            return files.filter(
                            file -> Files.isRegularFile(file) && file.toFile().length() == OLD_BYTES)
                    .count();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void theTargetThatWasAwayServesTheNewBucketOnly() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "1");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET, "--replicas", "2");
            Eventually.holds(SOON, () -> put(s3, OLD.getFirst(), OLD_BYTES));
            OLD.forEach(key -> put(s3, key, OLD_BYTES));
            var away = cluster.targets().get(2);
            var drives = cluster.drives(away);
            assertThat(filesOfOld(drives)).isPositive();
            cluster.node("kill", away.id());
            Eventually.holds(SOON, () -> cluster.run("bucket", "rm", BUCKET, "--force"));
            Eventually.holds(SOON, () -> cluster.run("bucket", "create", BUCKET, "--replicas", "2"));
            Eventually.holds(SOON, () -> put(s3, NEW.getFirst(), NEW_BYTES));
            NEW.forEach(key -> put(s3, key, NEW_BYTES));
            requireNew(s3);
            assertThat(filesOfOld(drives)).isPositive();

            cluster.node("start", away.id());
            Eventually.holds(SOON, () -> assertThat(filesOfOld(drives)).isZero());
            requireNew(s3);
            NEW.forEach(key -> put(s3, key, NEW_BYTES));
            requireNew(s3);
        }
    }
}
