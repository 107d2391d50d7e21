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
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Multipart uploads into a bucket with two replicas. Parts are on the primary's drive only; the object is on both.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class ReplicatedUploadsTest {
    private static final int PART = 5 << 20;
    private static final byte[] CONTENT = Bytes.random(1, PART + 100_000);
    private static final byte[] FIRST = Arrays.copyOf(CONTENT, PART);
    private static final byte[] SECOND = Arrays.copyOfRange(CONTENT, PART, CONTENT.length);

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;

    @BeforeEach
    void open() throws IOException {
        cluster = new ReplicaCluster(folder, 2, 1);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private Multipart at(ReplicaCluster.Target target) {
        return target.store().multipart();
    }

    private UploadState begin(ReplicaCluster.Target target, String key) {
        return at(target).create(cluster.bucket(), key, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);
    }

    private Part part(ReplicaCluster.Target target, UploadState upload, int number, byte[] content) {
        try (var part = at(target)
                .part(cluster.bucket(), upload.key(), upload.uploadId(), number, content.length, Durability.FSYNC)) {
            part.write(ByteBuffer.wrap(content));
            return part.commit("part%d".formatted(number), Map.of());
        }
    }

    private ObjectRecord complete(ReplicaCluster.Target target, UploadState upload, int parts) {
        var list = IntStream.rangeClosed(1, parts)
                .mapToObj(number -> new CompletedPart(number, "part%d".formatted(number), Map.of()))
                .toList();
        return at(target)
                .complete(
                        cluster.bucket(),
                        upload.key(),
                        upload.uploadId(),
                        list,
                        Map.of(),
                        WriteCheck.NONE,
                        Durability.FSYNC,
                        Supplier::get);
    }

    private List<String> listed(ReplicaCluster.Target target) {
        return at(target).listUploads(cluster.bucket(), "", "", "", 10).uploads().stream()
                .map(UploadState::uploadId)
                .toList();
    }

    private static void isOver(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOf(StoreException.NoSuchUpload.class);
    }

    private void leads(ReplicaCluster.Target target, String key) {
        eventually(() ->
                target.store().writer(cluster.bucket()).serves(cluster.bucket().id(), key));
    }

    @Test
    void theObjectIsOnEachReplicaAndAFollowersRestartEndsNothing() {
        var primary = cluster.target(1);
        var key = cluster.keyOf(primary);
        var upload = begin(primary, key);
        part(primary, upload, 1, FIRST);
        assertThat(listed(primary)).containsExactly(upload.uploadId());
        assertThat(listed(cluster.target(2))).isEmpty();
        cluster.target(2).stop();
        cluster.target(2).start();
        cluster.awaitWhole();
        retried(() -> part(primary, upload, 2, SECOND));
        var record = retried(() -> complete(primary, upload, 2));
        assertThat(complete(primary, upload, 2)).isEqualTo(record);
        assertThat(cluster.get(key)).hasValue(CONTENT);
        cluster.awaitOnEachReplica(key, CONTENT);
        assertThat(listed(primary)).isEmpty();
        isOver(() -> part(primary, upload, 2, SECOND));
        isOver(() -> at(primary).abort(cluster.bucket(), key, upload.uploadId()));
        assertThat(primary.drives.getFirst().resolve(".sluice/uploads")).isEmptyDirectory();
    }

    @Test
    void aRepeatedCompleteFindsItsResultAtTheNextPrimary() {
        var first = cluster.target(1);
        var next = cluster.target(2);
        var key = cluster.keyOf(first);
        var upload = begin(first, key);
        part(first, upload, 1, SECOND);
        var record = complete(first, upload, 1);
        first.stop();
        leads(next, key);
        assertThat(complete(next, upload, 1).version()).isEqualTo(record.version());
        next.delete(key);
        isOver(() -> complete(next, upload, 1));
    }

    /// Whoever was told that there is no such upload may rely on it.
    @Test
    void anUploadIsOverWhenAnotherDriveHasBeenPrimary() {
        var first = cluster.target(1);
        var next = cluster.target(2);
        var key = cluster.keyOf(first);
        var upload = begin(first, key);
        part(first, upload, 1, FIRST);
        first.stop();
        leads(next, key);
        isOver(() -> complete(next, upload, 1));
        var other = begin(next, key);
        part(next, other, 1, SECOND);
        complete(next, other, 1);
        first.start();
        cluster.awaitWhole();
        next.stop();
        leads(first, key);
        isOver(() -> part(first, upload, 1, FIRST));
        isOver(() -> complete(first, upload, 1));
        isOver(() -> at(first).listParts(cluster.bucket(), key, upload.uploadId(), 0, 10));
        assertThat(listed(first)).isEmpty();
        assertThat(cluster.get(key)).hasValue(SECOND);
        at(first).expire(Instant.EPOCH, _ -> false);
        var drive = first.drive(first.onlyDrive());
        assertThat(drive.call(() -> drive.uploads().isEmpty())).isTrue();
        assertThat(first.drives.getFirst().resolve(".sluice/uploads")).isEmptyDirectory();
    }

    private String otherKey(ReplicaCluster.Target primary, String key) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj("other-%d"::formatted)
                .filter(other -> !other.equals(key)
                        && cluster.owner(cluster.row(other).primary().drive()) == primary)
                .findFirst()
                .orElseThrow();
    }

    /// Its client may be told long before that the outcome is unknown.
    @Test
    void noPartIsTakenUntilAWriteThatEndsTheUploadIsDecided() throws InterruptedException {
        var primary = cluster.target(1);
        var key = cluster.keyOf(primary);
        var upload = begin(primary, key);
        part(primary, upload, 1, SECOND);
        cluster.cutOff(cluster.target(2));
        var answer = new CompletableFuture<ObjectRecord>();
        var failure = new AtomicReference<Throwable>();
        var client = Thread.ofVirtual().start(() -> {
            try {
                answer.complete(complete(primary, upload, 1));
            } catch (RuntimeException refused) {
                failure.set(refused);
            }
        });
        eventually(() -> primary.prepared() > 0 || answer.isDone());
        assertThat(answer).as("with the other replica cut off").isNotDone();
        client.interrupt();
        client.join();
        assertThat(failure.get()).isInstanceOf(StoreException.Unavailable.class);
        assertThat(primary.prepared()).isEqualTo(1);
        isOver(() -> at(primary).abort(cluster.bucket(), otherKey(primary, key), upload.uploadId()));
        isOver(() -> part(primary, upload, 1, FIRST));
        assertThat(cluster.get(key)).hasValue(SECOND);
    }
}
