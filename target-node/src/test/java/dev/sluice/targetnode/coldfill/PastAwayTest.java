package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.memory.Faults;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.http.Blocking;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.CacheResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reads that a target answers for another one, which is away.
@Timeout(60)
class PastAwayTest {
    private static final byte[] SHARD = random(1, 3_000_000);

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private Received get(String key) {
        return get(key, Optional.empty(), Conditions.NONE);
    }

    private Received get(String key, Optional<ByteRange> range, Conditions conditions) {
        return target.ofAway(new S3Request.GetObject(
                new ObjectName("cached", key),
                range,
                conditions,
                Optional.empty(),
                false,
                new TreeMap<>(),
                Optional.empty()));
    }

    private Received head(String key, Optional<ByteRange> range) {
        return target.ofAway(new S3Request.HeadObject(
                new ObjectName("cached", key), range, Conditions.NONE, Optional.empty(), false, new TreeMap<>()));
    }

    private void requireBypass(Received received) {
        assertThat(received.header("X-Cache")).isEqualTo("BYPASS");
        assertThat(received.header("x-sluice-cache")).isEqualTo("bypass");
        target.awaitFills();
        assertThat(target.stored(target.cached(), "a")).isFalse();
    }

    @Test
    void cloudsObjectPassesThroughAndIsNotStored() {
        var etag = target.inCloud("a", SHARD).etag();
        for (int turn = 0; turn < 2; turn++) {
            var got = get("a");
            assertThat(got.body()).isEqualTo(SHARD);
            assertThat(got.broken()).isEmpty();
            assertThat(got.header("ETag")).isEqualTo('"' + etag + '"');
            requireBypass(got);
        }
        assertThat(target.gets()).isEqualTo(2);
        var range = get("a", Optional.of(new ByteRange.FromTo(1_000_000, 1_000_009)), Conditions.NONE);
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.body()).isEqualTo(Arrays.copyOfRange(SHARD, 1_000_000, 1_000_010));
        requireBypass(range);
        for (var asked : List.of(Optional.<ByteRange>empty(), Optional.<ByteRange>of(new ByteRange.FromTo(0, 0)))) {
            requireBypass(head("a", asked));
        }
        assertThat(target.gets()).as("a HEAD begins no fetch").isEqualTo(3);
        var counted = Objects.requireNonNull(
                target.handlers().reads().now().get(target.cached().id()));
        assertThat(counted.gets(CacheResult.BYPASS)).isEqualTo(3);
        var same = new Conditions(Optional.empty(), Optional.of(etag), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> get("a", Optional.empty(), same)).isInstanceOf(StoreException.NotModified.class);
    }

    /// It may be older than what that target has written meanwhile.
    @Test
    void whatThisTargetHasIsNotServed() {
        target.put(target.cached(), "a", random(2, 1000));
        target.inCloud("a", random(3, 1000));
        assertThat(get("a").body()).isEqualTo(random(3, 1000));
        assertThat(head("a", Optional.empty()).header("ETag"))
                .isEqualTo('"' + TargetFixture.md5(random(3, 1000)) + '"');
        assertThat(target.get(target.cached(), "a").body()).as("its own").isEqualTo(random(2, 1000));
    }

    @Test
    void bytesAreVerified() {
        target.inCloud("a", SHARD);
        target.cloud().memory().faults(Faults.NONE.corrupt(true));
        assertThat(get("a").broken()).isPresent();
        target.cloud().memory().faults(Faults.NONE);
    }

    /// The target that is away may have it cached, and that counts.
    @Test
    void whatTheCloudHasNotIsUnavailableWhereCopiesAreNotCompared() {
        assertThatThrownBy(() -> get("a")).isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(() -> head("a", Optional.empty())).isInstanceOf(StoreException.Unavailable.class);
        for (var rule : List.of("1h", "always")) {
            var before = target.cached().properties().cache();
            target.set(target.cached(), new CacheRules(Revalidate.of(rule), before.evict(), before.coldRange()));
            var compared = target.control().current().buckets().find("cached").orElseThrow();
            var call = TargetFixture.call(
                    new S3Request.HeadObject(
                            new ObjectName("cached", "a"),
                            Optional.empty(),
                            Conditions.NONE,
                            Optional.empty(),
                            false,
                            new TreeMap<>()),
                    compared,
                    0);
            var answer = (Blocking) target.handlers().objectOfAway(call);
            assertThatThrownBy(() -> answer.work().run(ByteSource.empty()))
                    .isInstanceOf(StoreException.NoSuchKey.class);
        }
    }

    @Test
    void writesAreNotAnsweredForAnotherTarget() {
        assertThatThrownBy(() ->
                        target.ofAway(new S3Request.DeleteObject(new ObjectName("cached", "a"), DeleteConditions.NONE)))
                .isInstanceOf(StoreException.NotPrimary.class);
    }
}
