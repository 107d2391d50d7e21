package dev.sluice.targetnode.replica;

import static dev.sluice.targetnode.replica.ReplicaCluster.retried;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.S3Request.CompletedPart;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.testing.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Multipart uploads into a bucket of which each target has slices.
@Timeout(120)
final class CodedUploadsTest {
    private static final int PART = (5 << 20) + 1000;
    private static final byte[] CONTENT = Bytes.random(1, 2 * PART + 70_000);
    private static final WriteCheck REFUSING = _ -> {
        throw new StoreException.PreconditionFailed("refused");
    };

    @TempDir
    private Path folder;

    @Test
    void refusalLeavesThePartsAndTheyBecomeAnObjectOnce() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var key = cluster.keyOf(primary);
            var upload = begun(cluster, primary, key);
            assertThatThrownBy(() -> complete(cluster, primary, upload, "other", WriteCheck.NONE))
                    .isInstanceOf(StoreException.InvalidPart.class);
            assertThatThrownBy(() -> complete(cluster, primary, upload, "etag3", REFUSING))
                    .isInstanceOf(StoreException.PreconditionFailed.class);
            assertThat(cluster.get(key)).isEmpty();

            var record = retried(() -> complete(cluster, primary, upload, "etag3", WriteCheck.NONE));
            assertThat(complete(cluster, primary, upload, "etag3", WriteCheck.NONE)
                            .version())
                    .isEqualTo(record.version());
            assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
            assertThat(primary.drives.getFirst().resolve(".sluice/uploads")).isEmptyDirectory();
            assertThat(primary.strayStagingFiles(primary.onlyDrive())).isZero();
        }
    }

    @Test
    void partsBecomeAnObjectInSlicesAndNothingElseIsLeft() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var key = cluster.keyOf(primary);
            var upload = begun(cluster, primary, key);
            var _ = retried(() -> complete(cluster, primary, upload, "etag3", WriteCheck.NONE));
            for (int number = 1; number <= 3; number++) {
                var target = cluster.target(number);
                eventually(() -> target.strayStagingFiles(target.onlyDrive()) == 0);
                target.awaitRow(key);
                assertThat(target.file(key).toFile()).exists();
            }
            primary.stop();
            assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
        }
    }

    /// What is there is to be replaced, and says nothing.
    @Test
    void completeReplacesAnObjectWhoseSliceAtThePrimaryIsDamaged() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var key = cluster.keyOf(primary);
            cluster.put(key, Bytes.random(9, 3 << 20));
            primary.awaitRow(key);
            Files.write(primary.file(key), new byte[] {1});
            var upload = begun(cluster, primary, key);
            var _ = retried(() -> complete(cluster, primary, upload, "etag3", WriteCheck.NONE));
            assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
        }
    }

    @Test
    void conditionOnADamagedObjectIsJudgedWhenThatIsRestored() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var key = cluster.keyOf(primary);
            cluster.put(key, Bytes.random(9, 3 << 20));
            primary.awaitRow(key);
            Files.write(primary.file(key), new byte[] {1});
            WriteCheck absent = present -> {
                if (present.isPresent()) {
                    throw new StoreException.PreconditionFailed("it is there");
                }
            };
            var upload = begun(cluster, primary, key);
            assertThatThrownBy(() -> retried(() -> complete(cluster, primary, upload, "etag3", absent)))
                    .isInstanceOf(StoreException.PreconditionFailed.class);
        }
    }

    /// All that takes long is done before; refused there, the upload is as it was.
    @Test
    void onlyTheCommitIsWithinWhatMayRefuseIt() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var key = cluster.keyOf(primary);
            var upload = begun(cluster, primary, key);
            assertThatThrownBy(() -> complete(cluster, primary, upload, "etag3", WriteCheck.NONE, _ -> {
                        assertThat(primary.strayStagingFiles(primary.onlyDrive()))
                                .isEqualTo(3);
                        throw new StoreException.NoSuchBucket("gone");
                    }))
                    .isInstanceOf(StoreException.NoSuchBucket.class);
            eventually(() -> primary.strayStagingFiles(primary.onlyDrive()) == 0);
            var _ = retried(() -> complete(cluster, primary, upload, "etag3", WriteCheck.NONE));
            assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
        }
    }

    @Test
    void busyDriveIsWaitedFor() throws Exception {
        try (var cluster = ReplicaCluster.coded(folder, 3, "2+1")) {
            var primary = cluster.target(2);
            var upload = begun(cluster, primary, cluster.keyOf(primary));
            var left = new AtomicInteger(3);
            primary.fault = (call, path) -> {
                if (call.equals("read") && path.startsWith(".sluice/uploads/") && left.getAndDecrement() > 0) {
                    throw new StoreException.Busy("queue full, retry");
                }
            };
            var _ = complete(cluster, primary, upload, "etag3", WriteCheck.NONE);
            assertThat(left.get()).isNegative();
        }
    }

    private static Multipart at(ReplicaCluster.Target target) {
        return target.store().multipart();
    }

    private static UploadState begun(ReplicaCluster cluster, ReplicaCluster.Target primary, String key) {
        var upload =
                at(primary).create(cluster.bucket(), key, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);
        for (int number = 1; number <= 3; number++) {
            var content = Arrays.copyOfRange(CONTENT, (number - 1) * PART, Math.min(CONTENT.length, number * PART));
            try (var part = at(primary)
                    .part(cluster.bucket(), key, upload.uploadId(), number, content.length, Durability.FSYNC)) {
                part.write(ByteBuffer.wrap(content));
                var _ = part.commit("etag" + number, Map.of());
            }
        }
        return upload;
    }

    private static ObjectRecord complete(
            ReplicaCluster cluster,
            ReplicaCluster.Target primary,
            UploadState upload,
            String lastTag,
            WriteCheck check) {
        return complete(cluster, primary, upload, lastTag, check, Supplier::get);
    }

    private static ObjectRecord complete(
            ReplicaCluster cluster,
            ReplicaCluster.Target primary,
            UploadState upload,
            String lastTag,
            WriteCheck check,
            Multipart.Committing committing) {
        var parts = List.of(
                new CompletedPart(1, "etag1", Map.of()),
                new CompletedPart(2, "etag2", Map.of()),
                new CompletedPart(3, lastTag, Map.of()));
        return at(primary)
                .complete(
                        cluster.bucket(),
                        upload.key(),
                        upload.uploadId(),
                        parts,
                        Map.of(),
                        check,
                        Durability.FSYNC,
                        committing);
    }
}
