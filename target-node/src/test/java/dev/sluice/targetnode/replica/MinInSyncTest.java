package dev.sluice.targetnode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A bucket that asks for two in-sync replicas, on two targets.
@Timeout(120)
final class MinInSyncTest {
    private static final byte[] OLD = {1, 2, 3};
    private static final byte[] UNKNOWN = {4, 5, 6, 7};
    private static final byte[] REFUSED = {8};

    @TempDir
    private Path folder;

    private ReplicaCluster cluster;
    private String key;

    @BeforeEach
    void start() throws IOException {
        cluster = new ReplicaCluster(folder, 2, 1);
        key = cluster.keyOf(cluster.target(1));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private BucketRef bucket() {
        return new BucketRef(cluster.bucket().id(), cluster.bucket().name(), 1, true, 2, Optional.empty());
    }

    private void put(byte[] content) {
        var store = cluster.owner(cluster.row(key).primary().drive()).store();
        try (var upload = store.begin(bucket(), key, content.length, Durability.FSYNC)) {
            upload.write(ByteBuffer.wrap(content));
            upload.commit(CommitTerms.of("etag"));
        }
    }

    private void delete() {
        cluster.target(1).store().delete(bucket(), key, WriteCheck.NONE, Durability.FSYNC);
    }

    @Test
    void aWriteIsNotAcknowledgedWithFewerAndNoneIsBegun() {
        put(OLD);
        cluster.target(2).stop();
        assertThatThrownBy(() -> put(UNKNOWN))
                .as("it began with two")
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("it is not known whether the write is stored");
        assertThat(cluster.row(key).inSync()).hasSize(1);
        assertThat(cluster.get(key)).hasValue(UNKNOWN);

        assertThatThrownBy(() -> put(REFUSED))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("min_in_sync");
        assertThatThrownBy(this::delete)
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("min_in_sync");
        assertThatThrownBy(() ->
                        cluster.target(1).store().delete(bucket(), key + "-absent", WriteCheck.NONE, Durability.FSYNC))
                .as("it would say that a deletion of before is stored")
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(cluster.get(key)).hasValue(UNKNOWN);

        cluster.target(2).start();
        cluster.awaitWhole();
        ReplicaCluster.retried(() -> {
            put(REFUSED);
            return true;
        });
        assertThat(cluster.get(key)).hasValue(REFUSED);
    }
}
