package dev.sluice.targetnode.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ReadCounts;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.testing.Bytes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BucketReadMetersTest {
    private static final byte[] SHARD = Bytes.random(1, 100_000);

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private TargetFixture target;
    private BucketReadMeters meters;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        meters = new BucketReadMeters(
                target.handlers().reads(), target.handlers().revalidation(), new NodeId("target001"), registry);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private double counted(String meter, String bucket, String result) {
        return registry.get(meter)
                .tags("node", "target001", "bucket", bucket, "result", result)
                .functionCounter()
                .count();
    }

    @Test
    void getsAndTheirBytesAreCountedByBucketAndResult() {
        target.inCloud("a", SHARD);
        target.get(target.cached(), "a");
        target.awaitFills();
        target.get(target.cached(), "a");
        target.get(target.cached(), "a");
        target.head(target.cached(), "a");
        target.put(target.own(), "a", SHARD);
        target.get(target.own(), "a");
        meters.register(List.of(target.own(), target.cached()));
        assertThat(counted("sluice.bucket.gets", "cached", "miss")).isEqualTo(1);
        assertThat(counted("sluice.bucket.gets", "cached", "hit")).isEqualTo(2);
        assertThat(counted("sluice.bucket.gets", "cached", "fill")).isZero();
        assertThat(counted("sluice.bucket.get.bytes", "cached", "miss")).isEqualTo(SHARD.length);
        assertThat(counted("sluice.bucket.get.bytes", "cached", "hit")).isEqualTo(2.0 * SHARD.length);
        assertThat(counted("sluice.bucket.gets", "own", "hit")).isEqualTo(1);
        var read = new ReadCounts(2, 1, 3L * SHARD.length, SHARD.length);
        assertThat(target.handlers().reads(target.cached().id())).isEqualTo(new RecentReads(read, read, read, 0));
        assertThat(target.handlers().reads(12345)).isEqualTo(RecentReads.NONE);
    }

    @Test
    void countersGoWithTheBucket() {
        target.put(target.own(), "a", SHARD);
        target.get(target.own(), "a");
        meters.register(List.of(target.own(), target.cached()));
        assertThat(registry.getMeters()).hasSize(8); // nothing was read of the other

        var successor = new Bucket(
                target.own().id() + 100, target.own().name(), 1, 0, target.own().properties());
        meters.register(List.of(successor, target.cached()));
        assertThat(registry.getMeters()).isEmpty();
        assertThat(target.handlers().reads().now()).isEmpty();
    }
}
