package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.CacheRules;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RevalidationTest {
    private static final byte[] OLD = random(1, 100_000);
    private static final byte[] NEW = random(2, 90_000);

    private static final Duration SECOND = Duration.ofSeconds(1);

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

    /// As a request sees it from now on.
    private Bucket revalidating(String rule) {
        target.set(
                target.cached(), new CacheRules(Revalidate.of(rule), CacheRules.Evict.AUTO, CacheRules.ColdRange.FILL));
        return target.control().current().buckets().find("cached").orElseThrow();
    }

    private int questions() {
        return target.cloud().memory().requests("head");
    }

    private Bucket warm(String rule) {
        target.inCloud("a", OLD);
        var bucket = revalidating(rule);
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        target.awaitFills();
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        return bucket;
    }

    private void isAway() {
        target.cloud().before((_, key) -> {
            throw new StoreException.BackendUnavailable("away: " + key, new IOException("away"));
        });
    }

    @Test
    void neverAsksByDefault() {
        var bucket = warm("never");
        target.inCloud("a", NEW);
        target.passes(Duration.ofDays(1000));
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isZero();
    }

    @Test
    void anOverwriteIsNoticedWithinTheDuration() {
        var bucket = warm("60s");
        target.inCloud("a", NEW);
        target.passes(Duration.ofSeconds(50));
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isZero();
        target.passes(Duration.ofSeconds(10));
        assertThat(target.head(bucket, "a").header("ETag")).isEqualTo('"' + TargetFixture.md5(NEW) + '"');
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"60s", "always"})
    void aDeletedObjectIsGone(String rule) {
        var bucket = warm(rule);
        target.cloud().memory().delete("a");
        target.passes(Duration.ofSeconds(60));
        assertThatThrownBy(() -> target.get(bucket, "a")).isInstanceOf(StoreException.NoSuchKey.class);
        assertThat(target.stored(bucket, "a")).isFalse();
    }

    @Test
    void readersOfOneObjectShareOneQuestionADuration() throws Exception {
        var bucket = warm("60s");
        target.passes(Duration.ofSeconds(60));
        var asked = new CountDownLatch(1);
        var all = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("head")) {
                asked.countDown();
                await(all);
            }
        });
        var readers = new ArrayList<Future<Received>>();
        for (int i = 0; i < 16; i++) {
            readers.add(clients.submit(() -> target.get(bucket, "a")));
        }
        await(asked);
        all.countDown();
        for (var reader : readers) {
            assertThat(reader.get().body()).isEqualTo(OLD);
        }
        target.passes(Duration.ofSeconds(50));
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isEqualTo(1);
    }

    @Test
    void alwaysAsksEachTime() {
        var bucket = warm("always");
        int before = questions();
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isEqualTo(before + 2);
        target.inCloud("a", NEW);
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
    }

    /// A question whose answer is on its way says nothing of what was written since.
    @Test
    void alwaysTakesNoWordFromBeforeTheRequest() throws Exception {
        var bucket = warm("always");
        var answered = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var heads = new AtomicInteger();
        target.cloud().after((operation, _) -> {
            if (operation.equals("head") && heads.incrementAndGet() == 1) {
                answered.countDown();
                await(goOn);
            }
        });
        var early = clients.submit(() -> target.get(bucket, "a"));
        await(answered);
        target.inCloud("a", NEW);
        var late = clients.submit(() -> target.get(bucket, "a"));
        eventually(() -> late.isDone() || target.handlers().revalidation().waiting() > 1);
        goOn.countDown();
        assertThat(late.get().body()).isEqualTo(NEW);
        assertThat(early.get().body()).isIn(OLD, NEW);
    }

    @Test
    void alwaysFollowsNoFetchFromBeforeTheRequest() throws Exception {
        target.inCloud("a", OLD);
        var bucket = revalidating("always");
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().body((_, sent) -> {
            if (begun.getCount() > 0) {
                begun.countDown();
                await(goOn);
            }
        });
        var early = clients.submit(() -> target.get(bucket, "a"));
        await(begun);
        target.inCloud("a", NEW);
        var late = target.get(bucket, "a");
        goOn.countDown();
        assertThat(late.body()).isEqualTo(NEW);
        assertThat(early.get().body()).isEqualTo(OLD);
        target.awaitFills();
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
    }

    /// The question that comes next was asked for by readers of another version than the one under way.
    @Test
    void readersOfAlwaysAreAnsweredAlsoWhileAClientWrites() throws Exception {
        var bucket = warm("always");
        var asked = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("head")) {
                asked.countDown();
                await(goOn);
            }
        });
        var early = clients.submit(() -> target.get(bucket, "a"));
        await(asked);
        assertThat(target.put(bucket, "a", NEW).status()).isEqualTo(200);
        var late = clients.submit(() -> target.get(bucket, "a"));
        eventually(() -> target.handlers().revalidation().waiting() > 1);
        goOn.countDown();
        assertThat(late.get(20, TimeUnit.SECONDS).body()).isEqualTo(NEW);
        assertThat(early.get(20, TimeUnit.SECONDS).body()).isIn(OLD, NEW);
        assertThat(questions()).isLessThan(10);
    }

    @Test
    void followersOfALongFetchShareAQuestion() throws Exception {
        target.inCloud("a", OLD);
        var bucket = revalidating("60s");
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().body((_, _) -> {
            begun.countDown();
            await(goOn);
        });
        var readers = new ArrayList<Future<Received>>();
        readers.add(clients.submit(() -> target.get(bucket, "a")));
        await(begun);
        target.passes(Duration.ofSeconds(60));
        for (int i = 0; i < 8; i++) {
            readers.add(clients.submit(() -> target.get(bucket, "a")));
        }
        eventually(() -> questions() > 0);
        goOn.countDown();
        for (var reader : readers) {
            assertThat(reader.get().body()).isEqualTo(OLD);
        }
        assertThat(questions()).isEqualTo(1);
    }

    /// What was fetched is as old as the question for it, not as its first byte.
    @Test
    void timeOfAFetchIsThatOfItsQuestion() {
        target.inCloud("a", OLD);
        var bucket = revalidating("60s");
        target.passes(Duration.ofDays(1));
        long asked = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
        var answered = new AtomicLong();
        target.cloud().after((operation, _) -> {
            if (operation.equals("get")) {
                target.passes(Duration.ofDays(1));
                answered.set(System.currentTimeMillis() + Duration.ofDays(2).toMillis());
            }
        });
        target.get(bucket, "a");
        target.awaitFills();
        try (var stored = ((Lookup.Hit) target.store().lookup(BucketRefs.of(bucket), "a")).object()) {
            assertThat(stored.record().createdMillis())
                    .isGreaterThanOrEqualTo(asked)
                    .isLessThan(answered.get());
        }
    }

    @Test
    void aRefusalOfOneObjectIsNotThatOfTheBucket() {
        var bucket = warm("60s");
        target.inCloud("b", OLD);
        assertThat(target.get(bucket, "b").body()).isEqualTo(OLD);
        target.awaitFills();
        target.passes(Duration.ofSeconds(60));
        target.inCloud("b", NEW);
        target.cloud().before((_, key) -> {
            if (key.equals("a")) {
                throw new StoreException.BackendDenied("not yours");
            }
        });
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(target.get(bucket, "b").body()).isEqualTo(NEW);
        target.cloud().before((_, key) -> {
            throw new AssertionError("asked again: " + key);
        });
        assertThat(target.get(bucket, "a").body()).as("for a while").isEqualTo(OLD);
    }

    @Test
    void aFetchIsOutdatedAlsoWhenTheWordComesLate() throws Exception {
        target.inCloud("a", OLD);
        var bucket = revalidating("60s");
        var begun = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        var answer = new CountDownLatch(1);
        target.cloud().body((_, _) -> {
            begun.countDown();
            await(end);
        });
        target.cloud().after((operation, _) -> {
            if (operation.equals("head")) {
                await(answer);
            }
        });
        var early = clients.submit(() -> target.get(bucket, "a"));
        await(begun);
        target.inCloud("a", NEW);
        target.passes(Duration.ofSeconds(60));
        var late = target.open(bucket, "a", Optional.empty(), Conditions.NONE); // after its patience
        answer.countDown();
        eventually(() -> target.handlers().revalidation().waiting() == 0);
        end.countDown();
        assertThat(early.get().body()).isEqualTo(OLD);
        assertThat(Received.of(late).body()).isEqualTo(OLD);
        target.awaitFills();
        assertThat(target.stored(bucket, "a")).isFalse();
    }

    /// The answer of something on the way, or of a bucket that is gone.
    @Test
    void aBareNotFoundThatTheListDeniesRemovesNothing() {
        var bucket = warm("60s");
        target.passes(Duration.ofSeconds(60));
        target.cloud().before((operation, key) -> {
            if (operation.equals("head")) {
                throw new StoreException.NoSuchKey(key);
            }
        });
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(target.stored(bucket, "a")).isTrue();
        assertThat(target.gets()).as("nor fetches it again").isEqualTo(1);
    }

    @Test
    void aCloudThatIsAwayCostsADurationNothingAndIsCounted() {
        var bucket = warm("60s");
        target.passes(Duration.ofSeconds(60));
        isAway();
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(target.handlers().revalidation().counts(bucket.id()).of(RevalidationCounts.Outcome.UNCHECKED))
                .isEqualTo(2);
        target.cloud().before((_, _) -> {});
        target.inCloud("a", NEW);
        target.passes(Duration.ofSeconds(10));
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
    }

    @Test
    void nobodyWaitsLongForACloudThatDoesNotAnswer() throws Exception {
        var bucket = warm("60s");
        target.inCloud("a", NEW);
        target.passes(Duration.ofSeconds(60));
        var goOn = new CountDownLatch(1);
        target.cloud().before((_, _) -> await(goOn));
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        long begun = System.nanoTime();
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("nor twice").isLessThan(SECOND);
        goOn.countDown();
        eventually(() -> !target.stored(bucket, "a")); // the question went on
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
    }

    @Test
    void aCloudThatIsAwayIsToldToThoseWhoWantToKnowAlways() {
        var bucket = warm("always");
        isAway();
        assertThatThrownBy(() -> target.get(bucket, "a")).isInstanceOf(StoreException.BackendUnavailable.class);
        target.cloud().before((_, _) -> {});
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
    }

    @Test
    void whatTheCloudSaidSurvivesARestart() throws IOException {
        var bucket = warm("60s");
        target.passes(Duration.ofSeconds(60));
        assertThat(target.get(bucket, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isEqualTo(1);
        target.close();
        target = new TargetFixture(folder);
        target.inCloud("a", NEW);
        var again = revalidating("60s");
        target.passes(Duration.ofSeconds(100)); // 100 s after it was stored, 40 s after it was compared
        assertThat(target.get(again, "a").body()).isEqualTo(OLD);
        assertThat(questions()).isZero();
        target.passes(Duration.ofSeconds(20));
        assertThat(target.get(again, "a").body()).isEqualTo(NEW);
    }

    /// The question finds the cloud with the client's object, and the target with none or the same.
    @Test
    void anObjectThatAClientWritesMeanwhileStays() throws Exception {
        var bucket = warm("60s");
        target.passes(Duration.ofSeconds(60));
        var asked = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        target.cloud().before((operation, _) -> {
            if (operation.equals("head")) {
                asked.countDown();
                await(goOn);
            }
        });
        var reader = clients.submit(() -> target.get(bucket, "a"));
        await(asked);
        assertThat(target.put(bucket, "a", NEW).status()).isEqualTo(200);
        goOn.countDown();
        assertThat(reader.get().body()).isIn(OLD, NEW);
        assertThat(target.stored(bucket, "a")).isTrue();
        assertThat(target.get(bucket, "a").body()).isEqualTo(NEW);
        assertThat(target.gets()).isEqualTo(1);
    }

    @Test
    void conditionsAndRangesSeeTheNewObject() {
        var bucket = warm("always");
        target.inCloud("a", NEW);
        var etag = '"' + TargetFixture.md5(OLD) + '"';
        var whenStill = new Conditions(Optional.of(etag), Optional.empty(), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> target.get(bucket, "a", Optional.empty(), whenStill))
                .isInstanceOf(StoreException.PreconditionFailed.class);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
