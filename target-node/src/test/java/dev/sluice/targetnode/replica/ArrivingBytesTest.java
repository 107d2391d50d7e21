package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.Upload;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Other replicas take a large object's bytes while they come to its primary.
@Timeout(120)
final class ArrivingBytesTest {
    private static final int HALF = 3 << 20;

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;
    private ReplicaCluster.Target primary;
    private ReplicaCluster.Target other;
    private String key;
    private final byte[] content = Bytes.random(7, 2 * HALF);

    @BeforeEach
    void start() throws IOException {
        cluster = new ReplicaCluster(folder, 2, 1);
        primary = cluster.target(1);
        other = cluster.target(2);
        key = cluster.keyOf(primary);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Upload begin() {
        var upload = primary.store().begin(cluster.bucket(), key, content.length, Durability.FSYNC);
        upload.write(ByteBuffer.wrap(content, 0, HALF));
        return upload;
    }

    private void end(Upload upload) {
        upload.write(ByteBuffer.wrap(content, HALF, HALF));
        upload.commit(CommitTerms.of("etag"));
        upload.close();
    }

    private long staged() {
        try (var files = Files.list(other.drives.getFirst().resolve(".sluice/work"))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException moved) {
            return 0;
        }
    }

    private void requireOnBoth() {
        eventually(() -> other.has(other.onlyDrive(), key, content));
        assertThat(cluster.get(key))
                .hasValueSatisfying(
                        now -> assertThat(Arrays.equals(now, content)).isTrue());
    }

    @Test
    void bytesAreThereWhenTheWriteIsPrepared() {
        var upload = begin();
        eventually(() -> staged() == HALF);
        long fetched = cluster.network.fetchedWrites();
        end(upload);
        requireOnBoth();
        assertThat(cluster.network.fetchedWrites()).as("asked for once more").isEqualTo(fetched);
        assertThat(staged()).isZero();
    }

    @Test
    void whatComesOfAnUploadThatIsGivenUpGoes() {
        var upload = begin();
        eventually(() -> staged() == HALF);
        upload.close();
        eventually(() -> staged() == 0);
    }

    @Test
    void otherBytesThanTheWritesAreNotUsed() {
        cluster.network.spoilArriving();
        var upload = begin();
        eventually(() -> staged() == HALF);
        long fetched = cluster.network.fetchedWrites();
        end(upload);
        requireOnBoth();
        assertThat(cluster.network.fetchedWrites()).isEqualTo(fetched + 1);
        eventually(() -> staged() == 0);
    }

    @Test
    void whatBreaksOffIsFetchedWhenItIsPrepared() {
        cluster.network.breakBodies(primary.id, other.id);
        var upload = begin();
        eventually(() -> cluster.network.stoppedBodies() > 0);
        cluster.heal();
        end(upload);
        requireOnBoth();
        eventually(() -> staged() == 0);
    }
}
