package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.concurrent.AtOnce;
import dev.sluice.deploy.harness.Eventually;
import dev.sluice.deploy.harness.SluiceCluster;
import java.io.UncheckedIOException;
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
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Object;

/// Both drives of some slots are gone for good: an operator says so, and the bucket goes on with what is left.
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class ForgetTest {
    private static final String BUCKET = "two";
    private static final List<String> KEYS =
            IntStream.range(0, 200).mapToObj("key-%03d"::formatted).toList();
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int REFUSED = 2;

    @TempDir
    private Path folder;

    private static byte[] content(String key) {
        return Content.of(key, 1000);
    }

    private static JsonNode json(SluiceCluster cluster, String... command) {
        try {
            return new ObjectMapper().readTree(cluster.run(command).outText());
        } catch (JsonProcessingException bad) {
            throw new UncheckedIOException(bad);
        }
    }

    private static JsonNode plan(SluiceCluster cluster, String id) {
        return json(cluster, "cluster", "forget", id, "--dry-run", "--json");
    }

    private static String idOf(SluiceCluster cluster, Path drive) {
        for (var each : json(cluster, "drive", "list", "--json")) {
            if (each.path("path").asText().equals(drive.toString())) {
                return each.path("id").asText();
            }
        }
        throw new AssertionError("no target has the drive " + drive);
    }

    /// Before the slots of one are copied to others.
    private static void disableAtOnce(SluiceCluster cluster, List<Path> drives) {
        AtOnce.ask(drives, drive -> cluster.run("drive", "disable", drive.toString()));
    }

    private static boolean isThere(S3Client s3, String key) {
        try {
            var bytes = s3.getObjectAsBytes(request -> request.bucket(BUCKET).key(key));
            assertThat(bytes.asByteArray()).as(key).isEqualTo(content(key));
            return true;
        } catch (NoSuchKeyException _) {
            return false;
        }
    }

    private static void put(S3Client s3, String key) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content(key)));
    }

    @Test
    void whatIsLeftIsServedWhenBothDrivesOfASlotAreForgotten() throws Exception {
        try (var cluster = SluiceCluster.start(
                        folder.resolve("cluster"), Map.of(), "--separate", "--targets", "3", "--drives", "2");
                var s3 = cluster.endpoint().client()) {
            cluster.run("bucket", "create", BUCKET, "--replicas", "2");
            Eventually.holds(SOON, () -> put(s3, KEYS.getFirst()));
            KEYS.forEach(key -> put(s3, key));
            var first = cluster.drives(cluster.targets().get(1)).getFirst();
            var second = cluster.drives(cluster.targets().get(2)).getFirst();
            var firstId = idOf(cluster, first);
            var secondId = idOf(cluster, second);
            assertThat(cluster.attempt(Map.of(), "cluster", "forget", firstId, "--yes")
                            .err())
                    .contains("is not reported offline: disable it first");
            disableAtOnce(cluster, List.of(first, second));
            Eventually.holds(
                    SOON,
                    () -> assertThat(plan(cluster, firstId).path("waiting").asLong())
                            .isPositive());
            cluster.run("cluster", "forget", firstId, "--yes");
            assertThat(plan(cluster, secondId).path("lost").asLong()).isPositive();
            var refused = cluster.attempt(Map.of(), "cluster", "forget", secondId, "--yes");
            assertThat(refused.exit()).isEqualTo(REFUSED);
            assertThat(refused.err()).contains("--accept-data-loss", "may reappear", BUCKET);
            cluster.run("cluster", "forget", secondId, "--yes", "--accept-data-loss");
            Eventually.holds(SOON, () -> {
                var there = KEYS.stream().filter(key -> isThere(s3, key)).toList();
                assertThat(there).hasSizeBetween(KEYS.size() / 2, KEYS.size() - 1);
                assertThat(s3.listObjectsV2(request -> request.bucket(BUCKET)).contents())
                        .extracting(S3Object::key)
                        .isEqualTo(there);
            });
            for (var key : KEYS) {
                if (!isThere(s3, key)) {
                    put(s3, key);
                    assertThat(isThere(s3, key)).as(key).isTrue();
                }
            }
            s3.deleteObjects(request -> request.bucket(BUCKET)
                    .delete(all -> all.objects(KEYS.stream()
                            .map(key -> ObjectIdentifier.builder().key(key).build())
                            .toList())));
            s3.deleteBucket(request -> request.bucket(BUCKET));
        }
    }
}
