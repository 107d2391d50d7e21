package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.memory.Faults;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.Asked;
import dev.sluice.targetnode.answer.CacheResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ColdFillTest {
    private static final byte[] SHARD = random(1, 3_000_000);
    private static final Conditions NONE = Conditions.NONE;

    @TempDir
    private Path folder;

    private TargetFixture target;
    private ExecutorService clients;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        clients = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            clients.close();
            target.close();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Received get(String key) {
        return target.get(target.cached(), key);
    }

    private Received range(String key, long from, long to) {
        return target.get(target.cached(), key, Optional.of(new ByteRange.FromTo(from, to)), NONE);
    }

    @Test
    void thirtyTwoReadersShareOneRequest() throws Exception {
        target.inCloud("a", SHARD);
        var all = new CountDownLatch(32);
        var readers = new ArrayList<Future<Received>>();
        target.cloud().body((_, sent) -> {
            if (sent > 1_000_000) {
                await(all); // the fetch ends after all have begun
            }
        });
        for (int i = 0; i < 32; i++) {
            readers.add(clients.submit(() -> {
                var response = target.open(target.cached(), "a", Optional.empty(), NONE);
                all.countDown();
                return Received.of(response);
            }));
        }
        for (var reader : readers) {
            assertThat(reader.get().broken()).isEmpty();
            assertThat(reader.get().body()).isEqualTo(SHARD);
        }
        assertThat(cacheResults(readers)).containsOnlyOnce("miss").containsOnly("miss", "fill");
        target.awaitFills();
        assertThat(get("a").body()).isEqualTo(SHARD);
        assertThat(get("a").header("x-sluice-cache")).isEqualTo("hit");
        assertThat(target.gets()).isEqualTo(1);
    }

    private static List<String> cacheResults(List<Future<Received>> readers) throws Exception {
        var results = new ArrayList<String>();
        for (var reader : readers) {
            results.add(reader.get().header("x-sluice-cache"));
        }
        return results;
    }

    @Test
    void racingReadersOfOneObjectNeverAskTwice() throws Exception {
        for (int round = 0; round < 60; round++) {
            var key = "k" + round;
            target.inCloud(key, random(round, 10 + round * 3000));
            var readers = new ArrayList<Future<Received>>();
            for (int i = 0; i < 12; i++) {
                readers.add(clients.submit(() -> get(key)));
            }
            for (var reader : readers) {
                assertThat(reader.get().body()).isEqualTo(random(round, 10 + round * 3000));
            }
            assertThat(cacheResults(readers)).as(key).containsOnlyOnce("miss");
        }
        assertThat(target.gets()).isEqualTo(60);
    }

    /// A reader misses in the store, then the fill that is under way stores the object and ends, then the reader goes
    /// on to ask for it.
    @Test
    void aReaderThatMissedBeforeAFillEndedFindsTheStoredObject() throws Exception {
        target.inCloud("a", SHARD);
        var fills = new Fills();
        var cold = target.coldFill(fills, ParallelFetch.Terms.USUAL);
        var call = TargetFixture.getCall(target.cached(), "a", Optional.empty(), NONE);
        assertThat(get("a").body()).isEqualTo(SHARD);
        target.awaitFills();
        assertThat(cold.answer(call, asked(call), false))
                .isEqualTo(new ColdFill.Filled(CacheResult.FILL, Optional.empty()));
        eventually(() -> fills.count() == 0);
        assertThat(target.gets()).isEqualTo(1);
    }

    static dev.sluice.targetnode.answer.Asked asked(dev.sluice.common.peer.ObjectCall call) {
        return Asked.of(
                (dev.sluice.common.s3.S3Request.GetObject) call.request(),
                call.bucket().backed());
    }

    @Test
    void theFirstByteComesLongBeforeTheLast() throws Exception {
        target.inCloud("a", SHARD);
        var firstByte = new CountDownLatch(1);
        target.cloud().body((_, sent) -> {
            if (sent >= 1_000_000) {
                await(firstByte); // the cloud goes on only when the reader has something
            }
        });
        var response = target.open(target.cached(), "a", Optional.empty(), NONE);
        var bytes = new ByteArrayOutputStream();
        var received = Received.of(response, bytes, buffer -> {
            firstByte.countDown();
            var copy = new byte[buffer.remaining()];
            buffer.get(copy);
            bytes.writeBytes(copy);
        });
        assertThat(received.broken()).isEmpty();
        assertThat(received.body()).isEqualTo(SHARD);
    }

    @Test
    void aRangeIsServedAndTheWholeFollows() {
        target.inCloud("a", SHARD);
        var received = range("a", 500_000, 600_000);
        assertThat(received.status()).isEqualTo(206);
        assertThat(received.body()).isEqualTo(Arrays.copyOfRange(SHARD, 500_000, 600_001));
        assertThat(received.header("Content-Range")).isEqualTo("bytes 500000-600000/3000000");
        target.awaitFills();
        assertThat(get("a").body()).isEqualTo(SHARD);
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void aRangeFarAheadIsARequestOfItsOwn() throws Exception {
        var large = random(2, 10 << 20);
        target.inCloud("a", large);
        var served = new CountDownLatch(1);
        target.cloud().body((read, sent) -> {
            if (read.range().isEmpty() && sent > 100_000) {
                await(served);
            }
        });
        var received = range("a", 10_000_000, 10_000_099);
        served.countDown();
        assertThat(received.body()).isEqualTo(Arrays.copyOfRange(large, 10_000_000, 10_000_100));
        assertThat(received.header("x-sluice-cache")).isEqualTo("miss");
        target.awaitFills();
        assertThat(get("a").body()).isEqualTo(large);
        assertThat(target.gets()).isEqualTo(2);
        assertThat(target.cloud().memory().requests("head")).isZero();
    }

    @Test
    void aRangeFarAheadOfAnObjectThatChangedMeanwhileIsOfTheNewOne() throws Exception {
        var before = random(2, 10 << 20);
        var after = random(3, 10 << 20);
        var overwritten = new CountDownLatch(1);
        target.inCloud("a", before);
        var served = new CountDownLatch(1);
        target.cloud().body((read, sent) -> {
            if (read.range().isEmpty() && sent == 0 && served.getCount() == 1) {
                target.inCloud("a", after); // behind our back
                overwritten.countDown();
                await(served);
            }
        });
        var fill = clients.submit(() -> get("a"));
        await(overwritten);
        var ranged = clients.submit(() -> range("a", 10_000_000, 10_000_099));
        eventually(() -> target.gets() >= 4); // whole, refused range, whole again, range
        served.countDown();
        assertThat(ranged.get().body()).isEqualTo(Arrays.copyOfRange(after, 10_000_000, 10_000_100));
        assertThat(fill.get().body()).isEqualTo(before);
        target.awaitFills();
        assertThat(get("a").body()).isEqualTo(after);
    }

    @Test
    void aBrokenStreamIsAnErrorAtEveryReaderAndLeavesNothing() throws Exception {
        target.inCloud("a", SHARD);
        target.cloud().memory().faults(Faults.NONE.breakAfter(2_000_000));
        var begun = new CountDownLatch(8);
        target.cloud().body((_, sent) -> {
            if (sent > 1_000_000) {
                await(begun);
            }
        });
        var readers = new ArrayList<Future<Received>>();
        for (int i = 0; i < 8; i++) {
            readers.add(clients.submit(() -> {
                var response = target.open(target.cached(), "a", Optional.empty(), NONE);
                begun.countDown();
                return Received.of(response);
            }));
        }
        for (var reader : readers) {
            var received = reader.get();
            assertThat(received.status()).isEqualTo(200);
            assertThat(received.broken()).isPresent();
            assertThat(received.body().length).isLessThan(2_000_001);
            assertThat(received.body()).isEqualTo(Arrays.copyOf(SHARD, received.body().length));
        }
        target.requireNothingLeft();
        assertThat(target.stored(target.cached(), "a")).isFalse();
        target.cloud().memory().faults(Faults.NONE);
        assertThat(get("a").body()).isEqualTo(SHARD);
        target.awaitFills();
        assertThat(target.stored(target.cached(), "a")).isTrue();
    }

    @Test
    void noReaderGetsAllOfAnObjectWhoseBytesAreWrong() throws Exception {
        for (int size : new int[] {1, 1000, 65_536, 65_537, 300_000, 3_000_000}) {
            for (var algorithm : ChecksumAlgorithm.values()) {
                var key = algorithm + "/" + size;
                target.inCloud(key, random(size, size), algorithm);
                target.cloud().memory().faults(Faults.NONE.corrupt(true));
                requireBroken(key, size);
                target.awaitFills();
                assertThat(target.stored(target.cached(), key)).isFalse();
                target.cloud().memory().faults(Faults.NONE);
                assertThat(get(key).body()).isEqualTo(random(size, size));
            }
        }
    }

    private void requireBroken(String key, int size) {
        Received received;
        try {
            received = get(key);
        } catch (StoreException.Unavailable _) {
            return; // each fetch was over before it could be followed
        }
        assertThat(received.broken()).as(key).isPresent();
        assertThat(received.body().length).as(key).isLessThanOrEqualTo(Math.max(0, size - (64 << 10)));
    }

    @Test
    void aFillGoesOnWhenItsReadersLeave() throws Exception {
        target.inCloud("a", SHARD);
        var left = new CountDownLatch(1);
        target.cloud().body((_, sent) -> {
            if (sent > 1_000_000) {
                await(left);
            }
        });
        var response = target.open(target.cached(), "a", Optional.empty(), NONE);
        var received = Received.of(response, new ByteArrayOutputStream(), _ -> {
            throw new IOException("the client is gone");
        });
        left.countDown();
        assertThat(received.broken()).isPresent();
        target.awaitFills();
        assertThat(get("a").body()).isEqualTo(SHARD);
        assertThat(target.gets()).isEqualTo(1);
    }

    /// GET of the old object under way; a write; another GET after it.
    private void overtaken(Callable<Received> write, Optional<byte[]> expected) throws Exception {
        target.inCloud("a", SHARD);
        var written = new CountDownLatch(1);
        var first = new AtomicBoolean(true);
        target.cloud().body((read, sent) -> {
            if (sent == 0 && first.compareAndSet(true, false)) {
                await(written);
            }
        });
        var early = target.open(target.cached(), "a", Optional.empty(), NONE);
        var reader = clients.submit(() -> Received.of(early));
        assertThat(write.call().status()).isBetween(200, 204);
        for (int i = 0; i < 2; i++) { // while the old fill is still under way, and after it
            if (expected.isPresent()) {
                assertThat(get("a").body()).isEqualTo(expected.get());
            } else {
                assertThatThrownBy(() -> get("a")).isInstanceOf(StoreException.NoSuchKey.class);
                assertThatThrownBy(() -> target.head(target.cached(), "a"))
                        .isInstanceOf(StoreException.NoSuchKey.class);
            }
            written.countDown();
            assertThat(reader.get().body()).isEqualTo(SHARD); // what it began with
            target.awaitFills();
        }
    }

    @Test
    void aPutDuringAFillWins() throws Exception {
        overtaken(() -> target.put(target.cached(), "a", random(9, 200_000)), Optional.of(random(9, 200_000)));
    }

    @Test
    void aDeleteDuringAFillWins() throws Exception {
        overtaken(() -> target.delete(target.cached(), "a"), Optional.empty());
        assertThat(target.stored(target.cached(), "a")).isFalse();
    }

    @Test
    void aCompleteDuringAFillWins() throws Exception {
        var part = random(8, 500_000);
        var id = target.upload(target.cached(), "a", part);
        overtaken(() -> target.complete(target.cached(), "a", id, part), Optional.of(part));
    }

    @Test
    void aReaderDuringAWriteAsksTheCloudAndKeepsNothing() throws Exception {
        target.inCloud("a", SHARD);
        var reached = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("delete")) {
                reached.countDown();
                await(goOn);
            }
        });
        var delete = clients.submit(() -> target.delete(target.cached(), "a"));
        await(reached);
        assertThat(get("a").header("x-sluice-cache")).isEqualTo("bypass");
        assertThat(get("a").body()).isEqualTo(SHARD);
        assertThat(target.stored(target.cached(), "a")).isFalse();
        goOn.countDown();
        assertThat(delete.get().status()).isEqualTo(204);
        assertThatThrownBy(() -> get("a")).isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void withoutRoomOnTheDriveTheBytesPassThrough() throws Exception {
        target.close();
        target = new TargetFixture(folder.resolve("full"), Long.MAX_VALUE / 2);
        target.inCloud("a", SHARD);
        assertThat(get("a").body()).isEqualTo(SHARD);
        assertThat(get("a").header("x-sluice-cache")).isEqualTo("bypass");
        assertThat(range("a", 10, 19).body()).isEqualTo(Arrays.copyOfRange(SHARD, 10, 20));
        assertThat(target.stored(target.cached(), "a")).isFalse();
        target.cloud().memory().faults(Faults.NONE.corrupt(true));
        var wrong = get("a");
        assertThat(wrong.broken()).isPresent();
        assertThat(wrong.body().length).isLessThan(SHARD.length);
        target.cloud().memory().faults(Faults.NONE.breakAfter(100_000));
        assertThat(get("a").broken()).isPresent();
        target.cloud().memory().faults(Faults.NONE);
        var etag = new Conditions(
                Optional.empty(), Optional.of(TargetFixture.md5(SHARD)), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> target.get(target.cached(), "a", Optional.empty(), etag))
                .isInstanceOf(StoreException.NotModified.class);
        assertThat(target.cloud().memory().requests("head")).isZero();
    }

    /// What is not stored yet is asked of the cloud before anybody knows whether it is that object.
    @Test
    void ifRangeReturnsTheRangeOfAnObjectThatIsFilled() {
        var object = target.inCloud("a", SHARD);
        for (var tag : List.of("other", object.etag(), "other", object.etag())) {
            var conditions = new Conditions(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Conditions.IfRange.ofTag(tag)));
            var got = target.get(target.cached(), "a", Optional.of(new ByteRange.FromTo(10, 19)), conditions);
            assertThat(got.body()).as(tag).isEqualTo(tag.equals("other") ? SHARD : Arrays.copyOfRange(SHARD, 10, 20));
        }
    }

    @Test
    void headAsksTheCloudAndFillsNothing() {
        target.inCloud("a", SHARD);
        var head = target.open(target.cached(), "a", Optional.empty(), NONE);
        Received.of(head);
        target.awaitFills();
        target.inCloud("b", SHARD);
        var response = target.head(target.cached(), "b");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("ETag")).isEqualTo('"' + TargetFixture.md5(SHARD) + '"');
        assertThat(response.header("x-sluice-cache")).isEqualTo("bypass");
        assertThat(response.header("X-Cache")).isEqualTo("BYPASS");
        assertThat(target.stored(target.cached(), "b")).isFalse();
        var warm = target.head(target.cached(), "a");
        assertThat(warm.header("x-sluice-cache")).isEqualTo("hit");
        assertThat(warm.header("X-Cache")).isEqualTo("HIT");
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void conditionsAreJudgedByTheCloudsObject() {
        var object = target.inCloud("a", SHARD);
        var same = Optional.of('"' + object.etag() + '"');
        var other = Optional.of("\"0123\"");
        var none = Optional.<String>empty();
        var never = Optional.<java.time.Instant>empty();
        assertThatThrownBy(() ->
                        target.get(target.cached(), "a", Optional.empty(), new Conditions(none, same, never, never)))
                .isInstanceOf(StoreException.NotModified.class);
        assertThatThrownBy(() ->
                        target.get(target.cached(), "a", Optional.empty(), new Conditions(other, none, never, never)))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        assertThat(target.get(target.cached(), "a", Optional.empty(), new Conditions(same, other, never, never))
                        .body())
                .isEqualTo(SHARD);
    }

    @Test
    void rangesOutsideAreRefused() {
        target.inCloud("a", SHARD);
        target.inCloud("empty", new byte[0]);
        assertThatThrownBy(() -> range("a", 3_000_000, 3_000_001))
                .isInstanceOf(StoreException.RangeNotSatisfiable.class);
        assertThatThrownBy(() -> range("empty", 0, 1)).isInstanceOf(StoreException.RangeNotSatisfiable.class);
        assertThat(get("empty").body()).isEmpty();
    }

    @Test
    void whatTheCloudDoesNotHaveIsNoSuchKey() {
        assertThatThrownBy(() -> get("none")).isInstanceOf(StoreException.NoSuchKey.class);
        assertThatThrownBy(() -> target.head(target.cached(), "none")).isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void aCloudThatIsAwayIsNeverNoSuchKey() {
        target.inCloud("a", SHARD);
        target.cloud().memory().faults(Faults.NONE.unavailable(true));
        for (var key : new String[] {"a", "none"}) {
            assertThatThrownBy(() -> get(key)).isInstanceOf(StoreException.BackendUnavailable.class);
            assertThatThrownBy(() -> target.head(target.cached(), key))
                    .isInstanceOf(StoreException.BackendUnavailable.class);
        }
        target.awaitFills();
        target.cloud().memory().faults(Faults.NONE);
        assertThat(get("a").body()).isEqualTo(SHARD);
    }

    @Test
    void aDamagedCopyIsFetchedAgainAndKeptWhileTheCloudIsAway() throws IOException {
        target.inCloud("a", SHARD);
        assertThat(get("a").body()).isEqualTo(SHARD);
        target.awaitFills();
        var file = target.drive().resolve("objects/cached/a");
        var bad = SHARD.clone();
        bad[1000] ^= 1;
        Files.write(file, bad);
        target.cloud().memory().faults(Faults.NONE.unavailable(true));
        assertThatThrownBy(() -> get("a")).isInstanceOf(StoreException.BackendUnavailable.class);
        assertThat(file).hasBinaryContent(bad);
        target.cloud().memory().faults(Faults.NONE);
        assertThat(get("a").body()).isEqualTo(SHARD);
        target.awaitFills();
        assertThat(file).hasBinaryContent(SHARD);
        assertThat(target.gets()).isEqualTo(2);
    }

    /// What is left of it may be all that is left anywhere.
    @Test
    void aDamagedCopyOfWhatTheCloudNoLongerHasIsKeptAndNeverSaidNotToExist() throws IOException {
        target.inCloud("a", SHARD);
        assertThat(get("a").body()).isEqualTo(SHARD);
        target.awaitFills();
        var file = target.drive().resolve("objects/cached/a");
        Files.write(file, new byte[10]);
        target.cloud().memory().delete("a");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> get("a"))
                    .isInstanceOf(StoreException.Damaged.class)
                    .hasMessageContaining("the cloud no longer has it");
            assertThat(file).hasBinaryContent(new byte[10]);
        }
        target.inCloud("a", SHARD);
        assertThat(get("a").body()).isEqualTo(SHARD);
    }

    // ---- over several connections

    private static final ParallelFetch.Terms SMALL = new ParallelFetch.Terms(3 << 20, 1 << 20, 3);

    private Received parallel(Fills fills, String key) {
        var call = TargetFixture.getCall(target.cached(), key, Optional.empty(), NONE);
        Optional<Response> response =
                target.coldFill(fills, SMALL).answer(call, asked(call), false).response();
        return Received.of(response.orElseThrow());
    }

    @Test
    void segmentsMayComeInAnyOrder() throws Exception {
        var content = random(5, (7 << 20) + 12_345);
        for (var algorithm :
                new ChecksumAlgorithm[] {ChecksumAlgorithm.CRC32, ChecksumAlgorithm.CRC32C, ChecksumAlgorithm.CRC64NVME
                }) {
            var key = algorithm.name();
            target.inCloud(key, content, algorithm);
            int before = target.gets();
            var third = new CountDownLatch(1);
            target.cloud().body((read, sent) -> {
                if (read.range().equals(Optional.of(new ByteRange.FromTo(1 << 20, (2 << 20) - 1)))) {
                    await(third); // the second segment waits until a later one has come
                } else if (read.range().isPresent() && sent == 1 << 20) {
                    third.countDown();
                } else if (read.range().isPresent() && sent > 900_000) {
                    third.countDown();
                }
            });
            var fills = new Fills();
            var received = parallel(fills, key);
            assertThat(received.broken()).isEmpty();
            assertThat(received.body()).isEqualTo(content);
            eventually(() -> fills.count() == 0);
            assertThat(target.gets() - before).isEqualTo(8);
            target.cloud().body((_, _) -> {});
            assertThat(get(key).body()).isEqualTo(content);
            assertThat(target.gets() - before).isEqualTo(8);
        }
    }

    @Test
    void theFirstSegmentIsReadBeforeItIsWhole() throws Exception {
        var content = random(5, 4 << 20);
        target.inCloud("a", content, ChecksumAlgorithm.CRC32C);
        var firstByte = new CountDownLatch(1);
        target.cloud().body((read, sent) -> {
            if (read.range().isEmpty() && sent >= 500_000) {
                await(firstByte);
            }
        });
        var fills = new Fills();
        var call = TargetFixture.getCall(target.cached(), "a", Optional.empty(), NONE);
        var response = target.coldFill(fills, SMALL)
                .answer(call, asked(call), false)
                .response()
                .orElseThrow();
        var bytes = new ByteArrayOutputStream();
        var received = Received.of(response, bytes, buffer -> {
            firstByte.countDown();
            var copy = new byte[buffer.remaining()];
            buffer.get(copy);
            bytes.writeBytes(copy);
        });
        assertThat(received.body()).isEqualTo(content);
        eventually(() -> fills.count() == 0);
    }

    @Test
    void aSegmentThatBreaksBreaksTheWholeAndNoMoreAreFetched() throws Exception {
        var content = random(5, 40 << 20);
        target.inCloud("a", content, ChecksumAlgorithm.CRC32C);
        var failed = new CountDownLatch(1);
        var segments = new AtomicInteger();
        target.cloud().body((read, sent) -> {
            if (read.range().isEmpty() && sent > 500_000) {
                await(failed);
            } else if (read.range().equals(Optional.of(new ByteRange.FromTo(2 << 20, (3 << 20) - 1)))) {
                failed.countDown();
                throw new IOException("the connection broke");
            } else if (read.range().isPresent() && sent == 0) {
                segments.incrementAndGet();
            }
        });
        var fills = new Fills();
        var received = parallel(fills, "a");
        assertThat(received.broken()).isPresent();
        eventually(() -> fills.count() == 0);
        assertThat(segments.get()).isLessThan(20);
        target.requireNothingLeft();
        assertThat(target.stored(target.cached(), "a")).isFalse();
        target.cloud().body((_, _) -> {});
        assertThat(parallel(fills, "a").body()).isEqualTo(content);
        eventually(() -> fills.count() == 0);
    }

    @Test
    void anObjectOverwrittenBetweenSegmentsIsNeverAMixture() throws Exception {
        var before = random(5, 6 << 20);
        var after = random(6, 6 << 20);
        target.inCloud("a", before, ChecksumAlgorithm.CRC32C);
        var overwritten = new CountDownLatch(1);
        var gets = new AtomicInteger();
        target.cloud().before((operation, _) -> {
            if (operation.equals("get") && gets.incrementAndGet() > 3) {
                await(overwritten);
            }
        });
        target.cloud().body((read, sent) -> {
            if (read.range().isEmpty() && sent > 500_000 && overwritten.getCount() == 1) {
                target.inCloud("a", after, ChecksumAlgorithm.CRC32C);
                overwritten.countDown();
            }
        });
        var fills = new Fills();
        var received = parallel(fills, "a");
        assertThat(received.broken()).isPresent();
        assertThat(received.body()).isEqualTo(Arrays.copyOf(before, received.body().length));
        eventually(() -> fills.count() == 0);
        assertThat(target.stored(target.cached(), "a")).isFalse();
        assertThat(parallel(fills, "a").body()).isEqualTo(after);
        eventually(() -> fills.count() == 0);
    }

    @Test
    void wrongBytesInOneSegmentAreFoundByTheCombinedChecksum() throws Exception {
        var content = random(5, 5 << 20);
        for (var algorithm : new ChecksumAlgorithm[] {ChecksumAlgorithm.CRC32C, ChecksumAlgorithm.CRC64NVME}) {
            target.inCloud(algorithm.name(), content, algorithm);
            var gets = new AtomicInteger();
            var oneAtATime = new ReentrantLock();
            target.cloud().before((operation, _) -> {
                if (operation.equals("get")) {
                    oneAtATime.lock();
                    target.cloud().memory().faults(Faults.NONE.corrupt(gets.incrementAndGet() == 3));
                }
            });
            target.cloud().after((operation, _) -> {
                if (operation.equals("get")) {
                    oneAtATime.unlock();
                }
            });
            var fills = new Fills();
            var received = parallel(fills, algorithm.name());
            assertThat(received.broken()).isPresent();
            assertThat(received.body().length).isLessThanOrEqualTo(content.length - (64 << 10));
            eventually(() -> fills.count() == 0);
            assertThat(target.stored(target.cached(), algorithm.name())).isFalse();
        }
    }

    @Test
    void whatCannotBeCombinedIsFetchedInOnePiece() throws Exception {
        var content = random(5, 5 << 20);
        target.inCloud("md5", content);
        target.inCloud("sha", content, ChecksumAlgorithm.SHA256);
        var fills = new Fills();
        assertThat(parallel(fills, "md5").body()).isEqualTo(content);
        assertThat(parallel(fills, "sha").body()).isEqualTo(content);
        eventually(() -> fills.count() == 0);
        assertThat(target.gets()).isEqualTo(2);
    }

    @Test
    void theAnswersHeadIsTheCloudsObject() {
        target.inCloud("a", SHARD);
        var response = target.open(target.cached(), "a", Optional.empty(), NONE);
        assertThat(response.body()).isInstanceOf(ResponseBody.Streamed.class);
        assertThat(((ResponseBody.Streamed) response.body()).length()).isEqualTo(SHARD.length);
        Received.of(response);
    }
}
