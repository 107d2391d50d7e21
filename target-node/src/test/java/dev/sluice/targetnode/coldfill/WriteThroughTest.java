package dev.sluice.targetnode.coldfill;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static dev.sluice.targetnode.coldfill.TargetFixture.source;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.WriteCondition;
import dev.sluice.backend.memory.Faults;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WriteThroughTest {
    private static final Conditions ABSENT =
            new Conditions(Optional.empty(), Optional.of("*"), Optional.empty(), Optional.empty());

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

    @Test
    void aPutIsInTheCloudAndOnTheDrive() throws IOException {
        assertThat(target.put(target.cached(), "a", random(1, 200_000)).header("ETag"))
                .isEqualTo('"' + TargetFixture.md5(random(1, 200_000)) + '"');
        assertThat(target.cloud().memory().head("a").etag()).isEqualTo(TargetFixture.md5(random(1, 200_000)));
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(1, 200_000));
        assertThat(target.gets()).isZero();
        assertThat(target.delete(target.cached(), "a").status()).isEqualTo(204);
        assertThatThrownBy(() -> target.cloud().memory().head("a")).isInstanceOf(StoreException.NoSuchKey.class);
        assertThatThrownBy(() -> target.get(target.cached(), "a")).isInstanceOf(StoreException.NoSuchKey.class);
        assertThat(target.drive().resolve("objects/cached/a")).doesNotExist();
    }

    /// S3 returns `caf\u00E9` as a word. The cloud of this test is given another text instead.
    @Test
    void metadataThatTheCloudMaySayInOtherWordsIsTheCloudsFromTheFirstRead() {
        for (var sent : List.of("caf\u00E9", "=?UTF-8?B?Y2Fmw6k=?=")) {
            target.put(target.cached(), "a", random(1, 1000), withMetadata("old"), Conditions.NONE);
            target.cloud().after((operation, key) -> {
                if (operation.equals("put")) {
                    target.cloud()
                            .memory()
                            .put(key, 1000, source(random(2, 1000)), withMetadata("the cloud's"), WriteCondition.NONE);
                }
            });
            var written = target.put(target.cached(), "a", random(2, 1000), withMetadata(sent), Conditions.NONE);
            target.cloud().after((_, _) -> {});
            assertThat(written.header("ETag")).isEqualTo('"' + TargetFixture.md5(random(2, 1000)) + '"');
            for (int turn = 0; turn < 2; turn++) {
                var got = target.get(target.cached(), "a");
                assertThat(got.body()).isEqualTo(random(2, 1000));
                assertThat(got.header("x-amz-meta-a")).as(sent).isEqualTo("the cloud's");
            }
        }
        assertThat(target.gets()).isEqualTo(2);
        target.put(target.cached(), "a", random(3, 1000), withMetadata("plain"), Conditions.NONE);
        assertThat(target.get(target.cached(), "a").header("x-amz-meta-a")).isEqualTo("plain");
        assertThat(target.gets()).isEqualTo(2);
    }

    private static WriteAttributes withMetadata(String value) {
        return new WriteAttributes(
                new TreeMap<>(), new TreeMap<>(Map.of("a", value)), Optional.empty(), Map.of(), Optional.empty());
    }

    /// The first PUT has reached the cloud and not yet the drive when the second one comes.
    @Test
    void twoWritersLeaveTheSameObjectInTheCloudAndOnTheDrive() throws Exception {
        var inCloud = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var first = new AtomicBoolean(true);
        target.cloud().after((operation, _) -> {
            if (operation.equals("put") && first.compareAndSet(true, false)) {
                inCloud.countDown();
                await(goOn);
            }
        });
        var one = clients.submit(() -> target.put(target.cached(), "a", random(1, 1000)));
        await(inCloud);
        var two = clients.submit(() -> target.put(target.cached(), "a", random(2, 1000)));
        var three = clients.submit(() -> target.put(target.cached(), "b", random(3, 1000)));
        assertThat(three.get().status()).isEqualTo(200); // other keys do not wait
        goOn.countDown();
        assertThat(one.get().status()).isEqualTo(200);
        assertThat(two.get().status()).isEqualTo(200);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(2, 1000));
        assertThat(target.cloud().memory().head("a").etag()).isEqualTo(TargetFixture.md5(random(2, 1000)));
    }

    @Test
    void aFailedCloudWriteIsAnErrorAndTheNextReaderAsksTheCloud() {
        target.put(target.cached(), "a", random(1, 1000));
        target.cloud().memory().faults(Faults.NONE.unavailable(true));
        assertThatThrownBy(() -> target.put(target.cached(), "a", random(2, 1000)))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        assertThatThrownBy(() -> target.get(target.cached(), "a"))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        assertThatThrownBy(() -> target.delete(target.cached(), "a"))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        target.cloud().memory().faults(Faults.NONE);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(1, 1000));
    }

    @Test
    void aRefusedConditionalPutCostsNoCopy() throws IOException {
        target.put(target.cached(), "a", random(1, 1000));
        assertThatThrownBy(() -> target.put(target.cached(), "a", random(2, 1000), PLAIN, ABSENT))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(1, 1000));
        assertThat(target.gets()).isZero();
    }

    @Test
    void ofManyWhoWantToBeFirstOneIs() throws Exception {
        for (var bucket : List.of(target.cached(), target.own())) {
            var writers = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < 16; i++) {
                var content = random(i, 100_000);
                writers.add(clients.submit(() -> {
                    try {
                        return target.put(bucket, "a", content, PLAIN, ABSENT).status() == 200;
                    } catch (StoreException.PreconditionFailed _) {
                        return false;
                    }
                }));
            }
            var winners = new ArrayList<Integer>();
            for (int i = 0; i < 16; i++) {
                if (writers.get(i).get()) {
                    winners.add(i);
                }
            }
            assertThat(winners).hasSize(1);
            assertThat(target.get(bucket, "a").body()).isEqualTo(random(winners.getFirst(), 100_000));
        }
    }

    @Test
    void aRepeatedCompleteGetsTheFirstResult() {
        var parts = new byte[][] {random(1, 5 << 20), random(2, 1000)};
        var id = target.upload(target.cached(), "a", parts);
        var first = target.complete(target.cached(), "a", id, parts);
        assertThat(first.status()).isEqualTo(200);
        target.put(target.cached(), "a", random(3, 10));
        assertThat(target.complete(target.cached(), "a", id, parts).text()).isEqualTo(first.text());
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(3, 10));
        assertThatThrownBy(() -> target.complete(target.cached(), "b", id, parts))
                .isInstanceOf(StoreException.NoSuchUpload.class);
        assertThat(target.cloud().memory().requests("put")).isEqualTo(2);
    }

    @Test
    void aCompleteThatIsRepeatedTooEarlyWaitsForTheFirst() throws Exception {
        var part = random(1, 200_000);
        var id = target.upload(target.cached(), "a", part);
        var reached = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("put")) {
                reached.countDown();
                await(goOn);
            }
        });
        var one = clients.submit(() -> target.complete(target.cached(), "a", id, part));
        await(reached);
        var two = clients.submit(() -> target.complete(target.cached(), "a", id, part));
        goOn.countDown();
        assertThat(one.get().text()).isEqualTo(two.get().text());
        assertThat(target.cloud().memory().requests("put")).isEqualTo(1);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
    }

    @Test
    void aPartThatRottedOnTheDriveNeverReachesTheCloud() throws IOException {
        target.put(target.cached(), "a", random(7, 1000));
        var part = random(1, 3_000_000);
        var id = target.upload(target.cached(), "a", part);
        try (var files = Files.walk(target.drive().resolve(".sluice"))) {
            var file = files.filter(Files::isRegularFile)
                    .filter(path ->
                            path.toString().contains(id) && path.toFile().length() == part.length)
                    .findFirst()
                    .orElseThrow();
            try (var channel = Files.newByteChannel(file, java.nio.file.StandardOpenOption.WRITE)) {
                channel.position(2_500_000).write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
            }
        }
        assertThatThrownBy(() -> target.complete(target.cached(), "a", id, part))
                .isInstanceOf(StoreException.Damaged.class);
        assertThat(target.cloud().memory().head("a").etag()).isEqualTo(TargetFixture.md5(random(7, 1000)));
    }

    // ---- a Complete whose first outcome is unknown

    /// The next write of the cloud is carried out, or not, and no answer comes.
    private void loseAnswer(boolean carriedOut) {
        var first = new AtomicBoolean(true);
        GatedCloud.Moment lost = (operation, _) -> {
            if (operation.equals("put") && first.compareAndSet(true, false)) {
                throw new StoreException.BackendUnavailable("connection reset", new IOException());
            }
        };
        if (carriedOut) {
            target.cloud().after(lost);
        } else {
            target.cloud().before(lost);
        }
    }

    private String uploadWithLostAnswer(boolean carriedOut, byte[] part) {
        var id = target.upload(target.cached(), "a", part);
        loseAnswer(carriedOut);
        assertThatThrownBy(() -> target.complete(target.cached(), "a", id, part))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        return id;
    }

    private void requireEnded(TargetFixture its) {
        assertThat(its.store()
                        .multipart()
                        .listUploads(BucketRefs.of(its.cached()), "", "", "", 10)
                        .uploads())
                .isEmpty();
    }

    @Test
    void completeRepeatedAfterALostAnswerKeepsALaterPut() {
        var part = random(1, 200_000);
        var id = uploadWithLostAnswer(true, part);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
        target.put(target.cached(), "a", random(2, 1000));
        var again = target.complete(target.cached(), "a", id, part);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text()).contains(TargetFixture.md5(random(2, 1000)));
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(2, 1000));
        assertThat(target.cloud().memory().head("a").etag()).isEqualTo(TargetFixture.md5(random(2, 1000)));
        requireEnded(target);
        assertThat(target.complete(target.cached(), "a", id, part).text()).isEqualTo(again.text());
    }

    @Test
    void completeRepeatedAfterALostAnswerIsNotCarriedOutTwice() {
        target.put(target.cached(), "a", random(7, 1000));
        var part = random(1, 200_000);
        var id = uploadWithLostAnswer(true, part);
        int puts = target.cloud().memory().requests("put");
        assertThat(target.complete(target.cached(), "a", id, part).text()).contains(TargetFixture.md5(part));
        assertThat(target.cloud().memory().requests("put")).isEqualTo(puts);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
        requireEnded(target);
    }

    /// The request may still be on its way to the cloud, and reach it beside the second one.
    @Test
    void completeThatDidNotReachTheCloudIsCarriedOutOnce() {
        for (boolean absent : List.of(true, false)) {
            if (!absent) {
                target.put(target.cached(), "a", random(7, 1000));
            }
            var part = random(absent ? 1 : 2, 200_000);
            var id = uploadWithLostAnswer(false, part);
            var first = new AtomicBoolean(true);
            target.cloud().before((operation, _) -> {
                if (operation.equals("put") && first.compareAndSet(true, false)) {
                    target.inCloud("a", random(3, 1000));
                }
            });
            assertThat(target.complete(target.cached(), "a", id, part).text())
                    .contains(TargetFixture.md5(random(3, 1000)));
            assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(3, 1000));
            requireEnded(target);
            target.delete(target.cached(), "a");
        }
        var part = random(4, 200_000);
        var id = uploadWithLostAnswer(false, part);
        assertThat(target.complete(target.cached(), "a", id, part).status()).isEqualTo(200);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
    }

    /// The target is killed when the cloud has the object, and before the upload has ended.
    @Test
    void completeRepeatedAfterAKillKeepsALaterPut() throws Exception {
        var part = random(1, 200_000);
        var id = target.upload(target.cached(), "a", part);
        var killed = Files.createDirectory(folder.resolve("killed"));
        target.cloud().after((operation, _) -> {
            if (operation.equals("put")) {
                copy(target.drive(), killed.resolve("d1"));
            }
        });
        target.complete(target.cached(), "a", id, part);
        target.cloud().after((_, _) -> {});
        try (var restarted = new TargetFixture(killed, target.cloud())) {
            restarted.put(restarted.cached(), "a", random(2, 1000));
            var again = restarted.complete(restarted.cached(), "a", id, part);
            assertThat(again.text()).contains(TargetFixture.md5(random(2, 1000)));
            assertThat(restarted.get(restarted.cached(), "a").body()).isEqualTo(random(2, 1000));
            requireEnded(restarted);
        }
    }

    private static void copy(Path from, Path to) {
        try {
            var copying = new ProcessBuilder("cp", "-a", from.toString(), to.toString())
                    .inheritIO()
                    .start();
            assertThat(copying.onExit().join().exitValue()).isZero();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Nothing of it was written, so a PUT since then is no reason to leave it.
    @Test
    void refusedCompleteIsCarriedOutWhenItIsRepeated() {
        var part = random(1, 200_000);
        var id = target.upload(target.cached(), "a", part);
        var first = new AtomicBoolean(true);
        target.cloud().before((operation, _) -> {
            if (operation.equals("put") && first.compareAndSet(true, false)) {
                throw new StoreException.BackendDenied("not today");
            }
        });
        assertThatThrownBy(() -> target.complete(target.cached(), "a", id, part))
                .isInstanceOf(StoreException.BackendDenied.class);
        target.put(target.cached(), "a", random(2, 1000));
        assertThat(target.complete(target.cached(), "a", id, part).status()).isEqualTo(200);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
    }

    /// Nobody may be told to be the first who perhaps is not.
    @Test
    void completeWithAConditionIsJudgedByWhatTheCloudHas() {
        var part = random(1, 200_000);
        var id = uploadWithLostAnswer(false, part);
        target.put(target.cached(), "a", random(2, 1000));
        assertThatThrownBy(() -> target.complete(target.cached(), "a", id, ABSENT, part))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(random(2, 1000));
        var matching = new Conditions(
                Optional.of(TargetFixture.md5(random(2, 1000))), Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(target.complete(target.cached(), "a", id, matching, part).status())
                .isEqualTo(200);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(part);
    }

    // ---- any interleaving

    private static final int SIZE = 70_000; // more than is held back, so that readers follow while it comes

    private static byte[] content(int value) {
        var bytes = ByteBuffer.allocate(SIZE);
        while (bytes.remaining() >= Integer.BYTES) {
            bytes.putInt(value);
        }
        return bytes.array();
    }

    private Optional<Integer> read(String key) {
        try {
            var received = target.get(target.cached(), key);
            assertThat(received.broken()).isEmpty();
            int value = ByteBuffer.wrap(received.body()).getInt();
            assertThat(received.body()).as("a mixture").isEqualTo(content(value));
            return Optional.of(value);
        } catch (StoreException.NoSuchKey _) {
            return Optional.empty();
        }
    }

    private Optional<Integer> size(String key, History history) {
        try {
            var etag = target.head(target.cached(), key).header("ETag");
            for (int value = 0; value <= 64; value++) {
                if (etag.equals('"' + ETAGS.get(value) + '"')) {
                    return Optional.of(value);
                }
            }
            throw new AssertionError("an unknown ETag " + etag + history);
        } catch (StoreException.NoSuchKey _) {
            return Optional.empty();
        }
    }

    private static final List<String> ETAGS = java.util.stream.IntStream.rangeClosed(0, 64)
            .mapToObj(value -> TargetFixture.md5(content(value)))
            .toList();

    @Test
    void everyInterleavingIsLinearizable() throws Exception {
        long seed = ThreadLocalRandom.current().nextLong(1000);
        target.cloud().before((_, _) -> jitter());
        target.cloud().after((_, _) -> jitter());
        target.cloud().body((_, _) -> jitter());
        for (int round = 0; round < 40; round++) {
            var key = "key" + round;
            var random = new Random(seed + round);
            var first = random.nextBoolean() ? Optional.of(0) : Optional.<Integer>empty();
            if (first.isPresent()) {
                target.inCloud(key, content(0));
            }
            var history = new History();
            var running = new ArrayList<Future<?>>();
            for (int client = 0; client < 5; client++) {
                int number = client;
                long own = random.nextLong();
                running.add(clients.submit(() -> play(key, number, new Random(own), history)));
            }
            for (var each : running) {
                each.get();
            }
            int called = history.call();
            history.read(called, read(key));
            assertThat(history.isLinearizable(first))
                    .as("seed %d, round %d: %s", seed, round, history)
                    .isTrue();
            target.awaitFills();
            requireSameAsCloud(key, history);
        }
    }

    private void requireSameAsCloud(String key, History history) {
        Optional<String> cloud;
        try {
            cloud = Optional.of(target.cloud().memory().head(key).etag());
        } catch (StoreException.NoSuchKey _) {
            cloud = Optional.empty();
        }
        var copy = target.store().list(target.cached().id(), key, "", 100).stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst();
        if (copy.isPresent()) {
            assertThat(Optional.of(copy.get().etag()))
                    .as("the copy, %s", history)
                    .isEqualTo(cloud);
        }
    }

    /// Delays that bring the requests of several clients into all orders.
    private static void jitter() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(300_000));
    }

    private void play(String key, int client, Random random, History history) {
        for (int i = 0; i < 10; i++) {
            int value = 1 + client * 10 + i;
            int called = history.call();
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    target.put(target.cached(), key, content(value));
                    history.wrote(called, Optional.of(value));
                }
                case 2, 3 -> {
                    target.delete(target.cached(), key);
                    history.wrote(called, Optional.empty());
                }
                case 4 -> history.read(called, size(key, history));
                default -> history.read(called, read(key));
            }
        }
    }

    @Test
    void theCheckerKnowsAStaleRead() {
        var history = new History();
        history.wrote(history.call(), Optional.of(1));
        history.wrote(history.call(), Optional.of(2));
        history.read(history.call(), Optional.of(2));
        assertThat(history.isLinearizable(Optional.empty())).isTrue();
        history.read(history.call(), Optional.of(1));
        assertThat(history.isLinearizable(Optional.empty())).isFalse();
    }
}
