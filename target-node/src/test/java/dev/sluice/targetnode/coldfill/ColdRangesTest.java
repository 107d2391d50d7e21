package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.BackendObject;
import dev.sluice.backend.memory.Faults;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A bucket with `cold_range = pass`: the footer of a Parquet file does not fetch the file.
@Timeout(60)
class ColdRangesTest {
    private static final byte[] OLD = random(1, 1_000_000);
    private static final byte[] NEW = random(2, 2_000_000);

    @TempDir
    private Path folder;

    private TargetFixture target;
    private Bucket bucket;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        target.set(target.cached(), new CacheRules(Revalidate.NEVER, CacheRules.Evict.AUTO, CacheRules.ColdRange.PASS));
        bucket = target.control().current().buckets().find("cached").orElseThrow();
        target.inCloud("a", OLD);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private Received range(int from, int to) {
        return target.get(bucket, "a", Optional.of(new ByteRange.FromTo(from, to)), Conditions.NONE);
    }

    private void requireRange(byte[] object, int from, int to, String result) {
        var received = range(from, to);
        assertThat(received.status()).isEqualTo(206);
        assertThat(received.broken()).isEmpty();
        assertThat(received.body()).isEqualTo(Arrays.copyOfRange(object, from, to + 1));
        assertThat(received.header("Content-Range")).isEqualTo("bytes %d-%d/%d".formatted(from, to, object.length));
        assertThat(received.header("ETag")).isEqualTo('"' + TargetFixture.md5(object) + '"');
        assertThat(received.header("X-Cache")).isEqualTo(result);
    }

    private void requireStored(boolean expected) {
        target.awaitFills();
        assertThat(target.stored(bucket, "a")).isEqualTo(expected);
    }

    @Test
    void thirdRangeFetchesTheWholeObject() {
        requireRange(OLD, 999_900, 999_999, "BYPASS");
        requireRange(OLD, 0, 99, "BYPASS");
        requireStored(false);
        assertThat(target.gets()).isEqualTo(2);
        requireRange(OLD, 500, 599, "MISS");
        requireStored(true);
        requireRange(OLD, 600, 699, "HIT");
        assertThat(target.gets()).isEqualTo(3);
        assertThat(target.cloud().memory().requests("head")).isZero();
    }

    @Test
    void secondRangeIsAskedForInTheVersionOfTheFirst() {
        var versions = new ConcurrentLinkedQueue<Optional<String>>();
        target.cloud().body((read, sent) -> {
            if (sent == 0) {
                versions.add(read.ifVersion());
            }
        });
        requireRange(OLD, 0, 99, "BYPASS");
        requireRange(OLD, 100, 199, "BYPASS");
        assertThat(versions)
                .containsExactly(
                        Optional.empty(),
                        Optional.of(target.cloud().memory().head("a").version()));
    }

    @Test
    void rangesOfLongAgoDoNotCount() {
        for (int i = 0; i < 6; i++) {
            requireRange(OLD, 100 * i, 100 * i + 99, "BYPASS");
            target.passes(Duration.ofMinutes(5));
        }
        requireStored(false);
        target.passes(Duration.ofMinutes(-4));
        requireRange(OLD, 0, 9, "MISS");
        requireStored(true);
    }

    @Test
    void rangesThatMakeAQuarterFetchTheWholeObject() {
        requireRange(OLD, 0, 199_999, "BYPASS");
        requireStored(false);
        requireRange(OLD, 400_000, 449_999, "MISS");
        requireStored(true);
        assertThat(target.gets()).isEqualTo(2);
    }

    @Test
    void oneRangeOfAQuarterFetchesTheWholeObject() {
        requireRange(OLD, 100_000, 349_998, "BYPASS");
        requireStored(false);
        target.inCloud("a", NEW);
        requireRange(NEW, 100_000, 599_999, "MISS");
        requireStored(true);
    }

    @Test
    void suffixIsPassedAndAnyGetOfTheWholeFetchesIt() {
        var last = target.get(bucket, "a", Optional.of(new ByteRange.Last(8)), Conditions.NONE);
        assertThat(last.body()).isEqualTo(Arrays.copyOfRange(OLD, 999_992, 1_000_000));
        assertThat(last.header("X-Cache")).isEqualTo("BYPASS");
        requireStored(false);
        assertThat(target.get(bucket, "a").header("X-Cache")).isEqualTo("MISS");
        requireStored(true);
    }

    /// Ranges of two versions are told apart by their ETags, and counted apart.
    @Test
    void rangesAfterAnOverwriteAreOfTheNewObjectAndCountFromTheBeginning() {
        requireRange(OLD, 0, 99, "BYPASS");
        target.inCloud("a", NEW);
        requireRange(NEW, 0, 99, "BYPASS");
        requireRange(NEW, 100, 199, "BYPASS");
        requireStored(false);
        requireRange(NEW, 200, 299, "MISS");
        requireStored(true);
    }

    @Test
    void rangesAfterADeletionFindNothing() {
        requireRange(OLD, 0, 99, "BYPASS");
        target.cloud().memory().delete("a");
        assertThatThrownBy(() -> range(0, 99)).isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void rangesFollowAFillThatIsUnderWay() throws Exception {
        var goOn = new CountDownLatch(1);
        target.cloud().body((_, _) -> {
            try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        var whole = target.open(bucket, "a", Optional.empty(), Conditions.NONE);
        var range = target.open(bucket, "a", Optional.of(new ByteRange.FromTo(0, 99)), Conditions.NONE);
        goOn.countDown();
        assertThat(Received.of(range).header("X-Cache")).isEqualTo("FILL");
        assertThat(Received.of(whole).body()).isEqualTo(OLD);
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void rangeThatCannotBeAndConditionThatFailsAreRefused() {
        assertThatThrownBy(() -> range(1_000_000, 1_000_001)).isInstanceOf(StoreException.RangeNotSatisfiable.class);
        var other = new Conditions(Optional.of("\"0123\""), Optional.empty(), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> target.get(bucket, "a", Optional.of(new ByteRange.FromTo(0, 9)), other))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        requireStored(false);
    }

    @Test
    void passedRangeThatBreaksOffIsBrokenForItsReader() {
        target.cloud().memory().faults(Faults.NONE.breakAfter(50_000));
        assertThat(range(0, 99_999).broken()).isPresent();
        requireStored(false);
    }

    @Test
    void onlyTheLastObjectsAreRemembered() {
        var ranges = new ColdRanges(() -> 0);
        for (int i = 0; i < 2 * ColdRanges.MOST_OBJECTS; i++) {
            assertThat(ranges.pass(new Fills.Key(1, "first"), object("first"), 1))
                    .isEqualTo(i < 2);
            assertThat(ranges.pass(new Fills.Key(1, "k" + i), object("k" + i), 1))
                    .isTrue();
        }
        assertThat(ranges.count()).isEqualTo(ColdRanges.MOST_OBJECTS);
        assertThat(ranges.version(new Fills.Key(1, "k0"))).isEmpty();
        assertThat(ranges.version(new Fills.Key(1, "first"))).contains("v1");
    }

    private static BackendObject object(String key) {
        return new BackendObject(
                key,
                1000,
                "e1",
                "v1",
                Instant.EPOCH,
                new TreeMap<>(),
                new TreeMap<>(),
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }
}
