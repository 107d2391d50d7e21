package dev.sluice.targetnode.quota;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a quota refuses and what it lets through, on one target.
@Timeout(60)
class QuotaTest {
    private static final long MIB = 1 << 20;
    private static final int SIZE = 100_000;

    @TempDir
    private Path folder;

    private @Nullable TargetFixture opened;

    @BeforeEach
    void open() throws IOException {
        opened = new TargetFixture(folder);
    }

    @AfterEach
    void close() {
        target().close();
    }

    private TargetFixture target() {
        return java.util.Objects.requireNonNull(opened);
    }

    private int put(Bucket bucket, String key, int size) {
        return target().put(bucket, key, random(1, size)).status();
    }

    private long taken(Bucket bucket) {
        return target().store().bucketBytes().of(bucket.id()).allBytes();
    }

    private void requireRefused(Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOf(StoreException.QuotaExceeded.class)
                .hasMessageContaining("The bucket own would exceed its quota of 500000 bytes: 500000 are taken")
                .hasMessageContaining("--quota");
    }

    @Test
    void aFullBucketRefusesWhatGrowsItAndNothingElse() {
        var own = target().own();
        target().limit(own, 5 * SIZE);
        for (int i = 0; i < 5; i++) {
            assertThat(put(own, "k" + i, SIZE)).isEqualTo(200);
        }
        requireRefused(() -> put(own, "k5", 1));
        requireRefused(() -> put(own, "k4", SIZE + 1));
        assertThat(target().stored(own, "k5")).isFalse();
        assertThat(put(own, "empty", 0)).isEqualTo(200);
        assertThat(put(own, "k4", SIZE)).as("an overwrite that does not grow").isEqualTo(200);
        assertThat(target().get(own, "k4").status()).isEqualTo(200);
        assertThat(target().delete(own, "k0").status()).isEqualTo(204);
        assertThat(put(own, "k5", SIZE)).as("after a deletion").isEqualTo(200);
        requireRefused(() -> put(own, "k6", 1));
        assertThat(taken(own)).isEqualTo(5 * SIZE);
    }

    @Test
    void aBucketThatIsOverItsQuotaMayShrink() {
        var own = target().own();
        put(own, "a", 4 * SIZE);
        put(own, "b", SIZE);
        target().limit(own, SIZE);
        assertThat(put(own, "a", 3 * SIZE)).isEqualTo(200);
        assertThatThrownBy(() -> put(own, "c", 1)).isInstanceOf(StoreException.QuotaExceeded.class);
    }

    @Test
    void aHundredWritesAtOnceDoNotExceedIt() {
        var own = target().own();
        target().limit(own, 20 * SIZE);
        var stored = new AtomicInteger();
        var refused = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                var key = "k" + i;
                threads.execute(() -> {
                    try {
                        put(own, key, SIZE);
                        stored.incrementAndGet();
                    } catch (StoreException.QuotaExceeded _) {
                        refused.incrementAndGet();
                    }
                });
            }
        }
        assertThat(stored.get() + refused.get()).isEqualTo(100);
        assertThat(stored).hasPositiveValue().hasValueLessThanOrEqualTo(20);
        assertThat(taken(own)).isEqualTo((long) stored.get() * SIZE);
        assertThat(target().quotas().usage(List.of(own.id())).getFirst().reserved())
                .as("nothing stays reserved")
                .isZero();
    }

    @Test
    void whatAnOverwriteCountedOnIsLookedAtAgainBeforeItIsStored() {
        var own = target().own();
        target().limit(own, 5 * SIZE);
        put(own, "a", 5 * SIZE);
        var quotas = target().quotas();
        try (var room = quotas.reserve(own, () -> quotas.growth(own, "a", 5 * SIZE))) {
            target().delete(own, "a");
            put(own, "b", 5 * SIZE);
            requireRefused(() -> room.atLeast(() -> quotas.growth(own, "a", 5 * SIZE)));
        }
        target().delete(own, "b");
        assertThat(put(own, "a", 5 * SIZE)).isEqualTo(200);
    }

    @Test
    void writeHoldsWhatHasComeAndAStepNotWhatItAnnounced() {
        var own = target().own();
        target().limit(own, 200 * MIB);
        var quotas = target().quotas();
        LongUnaryOperator growth = size -> size;
        assertThatThrownBy(() -> quotas.reserve(own, 200 * MIB + 1, growth))
                .as("what can never fit")
                .isInstanceOf(StoreException.QuotaExceeded.class);
        try (var idle = quotas.reserve(own, 200 * MIB, growth)) {
            assertThat(reserved(own)).isLessThanOrEqualTo(MIB);
            try (var fast = quotas.reserve(own, 150 * MIB, growth)) {
                for (int came = 0; came < 150; came++) {
                    fast.come(MIB);
                    assertThat(reserved(own)).isBetween((came + 1) * MIB, (came + 1) * MIB + 65 * MIB);
                }
                idle.come(MIB);
                assertThatThrownBy(() -> idle.come(1)).isInstanceOf(StoreException.QuotaExceeded.class);
                assertThat(reserved(own)).isLessThanOrEqualTo(200 * MIB);
            }
            idle.come(1);
        }
        assertThat(reserved(own)).as("nothing stays reserved").isZero();
    }

    private long reserved(Bucket bucket) {
        return target().quotas().usage(List.of(bucket.id())).getFirst().reserved();
    }

    /// Two bodies of three steps each, of which one fits.
    @Test
    void twoLargeWritesAtOnceDoNotExceedItAndTheLoserLeavesNothing() throws IOException {
        var own = target().own();
        target().limit(own, 5 * MIB);
        var results = new ConcurrentLinkedQueue<String>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2; i++) {
                var key = "k" + i;
                threads.execute(() -> {
                    try {
                        results.add(key + put(own, key, (int) (3 * MIB)));
                    } catch (StoreException.QuotaExceeded _) {
                        results.add("refused");
                    }
                });
            }
        }
        assertThat(results).hasSize(2);
        assertThat(taken(own)).isEqualTo(3 * MIB);
        assertThat(reserved(own)).isZero();
        target().requireNothingLeft();
    }

    @Test
    void partsCountUntilTheirUploadIsOver() {
        var own = target().own();
        target().limit(own, 5 * SIZE);
        var part = random(3, 4 * SIZE);
        var id = target().upload(own, "m", part);
        assertThat(taken(own)).isEqualTo(4 * SIZE);
        put(own, "a", SIZE);
        requireRefused(() -> put(own, "b", 1));
        requireRefused(() -> target().upload(own, "n", new byte[] {1}));
        assertThat(target().complete(own, "m", id, part).status()).isEqualTo(200);
        assertThat(taken(own)).isEqualTo(5 * SIZE);
        target().delete(own, "m");
        assertThat(put(own, "b", 4 * SIZE)).isEqualTo(200);
    }

    @Test
    void aCachedBucketTakesEveryWriteAndIsTrimmedToItsQuota() {
        var cached = target().cached();
        target().limit(cached, 10 * SIZE);
        for (int i = 0; i < 30; i++) {
            assertThat(put(cached, "k%02d".formatted(i), SIZE)).isEqualTo(200);
        }
        put(target().own(), "mine", 20 * SIZE);
        assertThat(taken(cached)).as("nobody evicts yet").isEqualTo(30 * SIZE);
        target().evict();
        eventually(() -> taken(cached) <= 10 * SIZE);
        assertThat(taken(cached)).as("not much more goes than must").isGreaterThanOrEqualTo(8 * SIZE);
        for (int i = 0; i < 30; i++) {
            assertThat(target().get(cached, "k%02d".formatted(i)).status()).isEqualTo(200); // from the cloud again
        }
        target().awaitFills();
        eventually(() -> taken(cached) <= 10 * SIZE);
        assertThat(taken(target().own())).isEqualTo(20 * SIZE);
    }
}
