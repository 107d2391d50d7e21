package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.Upload;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The slices of an object come to their members while its bytes come to the primary.
@Timeout(120)
final class ArrivingSlicesTest {
    private static final int MIB = 1 << 20;
    private static final byte[] CONTENT = Bytes.random(7, 7 * MIB + 1000);

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;
    private ReplicaCluster.Target primary;
    private List<ReplicaCluster.Target> others;
    private String key;

    @BeforeEach
    void start() throws IOException {
        cluster = ReplicaCluster.coded(folder, 3, "2+1");
        primary = cluster.target(1);
        others = List.of(cluster.target(2), cluster.target(3));
        key = cluster.keyOf(primary);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Upload begin(int expected) {
        var upload = primary.store().begin(cluster.bucket(), key, expected, Durability.FSYNC);
        upload.write(ByteBuffer.wrap(CONTENT, 0, 4 * MIB));
        return upload;
    }

    private static void end(Upload upload) {
        upload.write(ByteBuffer.wrap(CONTENT, 4 * MIB, CONTENT.length - 4 * MIB));
        upload.commit(CommitTerms.of("etag"));
        upload.close();
    }

    private static long staged(ReplicaCluster.Target target) {
        try (var files = Files.list(target.drives.getFirst().resolve(".sluice/work"))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException moved) {
            return 0;
        }
    }

    /// Two stripes: each member has two cells of its own.
    private void awaitArrived() {
        others.forEach(other -> eventually(() -> staged(other) == 2 * MIB));
    }

    private void requireObject() {
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
        others.getFirst().awaitRow(key);
        others.getLast().awaitRow(key);
        others.getFirst().stop();
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
    }

    @Test
    void slicesAreThereWhenTheWriteIsPrepared() {
        var upload = begin(CONTENT.length);
        awaitArrived();
        long fetched = cluster.network.fetchedWrites();
        end(upload);
        assertThat(cluster.network.fetchedWrites()).as("asked for once more").isEqualTo(fetched);
        others.forEach(other -> eventually(() -> staged(other) == 0));
        requireObject();
    }

    @Test
    void whatComesOfAnUploadThatIsGivenUpGoes() {
        var upload = begin(CONTENT.length);
        awaitArrived();
        upload.close();
        others.forEach(other -> eventually(() -> staged(other) == 0));
        eventually(() -> staged(primary) == 0);
    }

    @Test
    void otherBytesThanTheWritesAreNotUsed() {
        cluster.network.spoilArriving();
        var upload = begin(CONTENT.length);
        awaitArrived();
        long fetched = cluster.network.fetchedWrites();
        end(upload);
        assertThat(cluster.network.fetchedWrites()).isEqualTo(fetched + 2);
        requireObject();
    }

    @Test
    void slicesOfABodyWhoseLengthIsNotKnownAreFetchedAtItsEnd() {
        long fetched = cluster.network.fetchedWrites();
        end(begin(-1));
        assertThat(cluster.network.fetchedWrites()).isEqualTo(fetched + 2);
        requireObject();
    }

    @Test
    void memberThatIsCutWithinABodyGetsItsSliceWhenItIsBack() {
        var upload = begin(CONTENT.length);
        awaitArrived();
        others.getFirst().stop();
        end(upload);
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
        others.getFirst().start();
        cluster.awaitWhole();
        others.getLast().stop();
        assertThat(Arrays.equals(cluster.get(key).orElseThrow(), CONTENT)).isTrue();
    }

    /// What becomes of it is decided when they are back.
    @Test
    void bodyOfWhichTwoMembersAreCutIsNotAcknowledged() {
        try (var upload = begin(CONTENT.length)) {
            awaitArrived();
            others.forEach(ReplicaCluster.Target::stop);
            assertThatThrownBy(() -> end(upload)).isInstanceOf(StoreException.Unavailable.class);
        }
        others.forEach(ReplicaCluster.Target::start);
        cluster.awaitWhole();
        cluster.get(key)
                .ifPresent(bytes -> assertThat(Arrays.equals(bytes, CONTENT)).isTrue());
        eventually(() -> Stream.concat(Stream.of(primary), others.stream())
                .allMatch(target -> target.prepared() == 0 && staged(target) == 0));
    }
}
