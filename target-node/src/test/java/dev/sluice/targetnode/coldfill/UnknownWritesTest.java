package dev.sluice.targetnode.coldfill;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.sluice.backend.BackendCalls;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.CacheResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Writes that the cloud may still carry out when their call has broken off: what is stored of their keys.
@Timeout(60)
class UnknownWritesTest {
    private static final Duration MINUTE = Duration.ofSeconds(60);

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

    // ---- what is remembered

    private final AtomicLong now = new AtomicLong(-5);

    private void passes(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static Fills.Key key(int number) {
        return new Fills.Key(1, "k" + number);
    }

    @Test
    void keyIsRememberedForAMinute() {
        var unknown = new UnknownWrites(now::get);
        unknown.add(key(1));
        passes(Duration.ofSeconds(30));
        unknown.add(key(2));
        passes(MINUTE.minusSeconds(30).minusNanos(1));
        assertThat(unknown.contains(key(1))).isTrue();
        assertThat(unknown.contains(new Fills.Key(2, "k1"))).isFalse();
        passes(Duration.ofNanos(1));
        assertThat(unknown.contains(key(1))).isFalse();
        assertThat(unknown.contains(key(2))).isTrue();
        unknown.add(key(2));
        passes(MINUTE.minusNanos(1));
        assertThat(unknown.contains(key(2))).as("since the last one").isTrue();
        assertThat(unknown.isEmpty()).isFalse();
        passes(Duration.ofNanos(1));
        assertThat(unknown.isEmpty()).isTrue();
    }

    @Test
    void moreKeysThanAreRememberedAreAllKeys() {
        var unknown = new UnknownWrites(now::get, 3);
        for (int i = 0; i < 3; i++) {
            unknown.add(key(i));
            unknown.add(key(i));
        }
        assertThat(unknown.contains(key(7))).isFalse();
        unknown.add(key(3));
        assertThat(unknown.contains(key(7))).isTrue();
        assertThat(unknown.contains(key(0))).isTrue();
        passes(MINUTE.minusNanos(1));
        unknown.add(key(4));
        assertThat(unknown.contains(key(7))).isTrue();
        passes(Duration.ofNanos(1));
        assertThat(unknown.contains(key(7))).isFalse();
        assertThat(unknown.contains(key(4))).isTrue();
    }

    // ---- what is stored

    /// The next write of the cloud is not carried out yet, and no answer comes.
    private void loseAnswer(String operation) {
        var first = new AtomicBoolean(true);
        target.cloud().before((asked, _) -> {
            if (asked.equals(operation) && first.compareAndSet(true, false)) {
                throw new StoreException.BackendUnavailable("connection reset", new IOException());
            }
        });
    }

    private void write(String kind) {
        switch (kind) {
            case "put" -> target.put(target.cached(), "a", random(2, 1000));
            case "delete" -> target.delete(target.cached(), "a");
            default -> {
                var id = target.upload(target.cached(), "a", random(2, 1000));
                target.complete(target.cached(), "a", id, random(2, 1000));
            }
        }
    }

    private String read(String key, long seed) {
        var got = target.get(target.cached(), key);
        assertThat(got.body()).isEqualTo(random(seed, 1000));
        target.awaitFills();
        return got.header("x-sluice-cache");
    }

    /// The write lands after a read. A read past this target sees it then, and so must the next one here.
    @ParameterizedTest
    @ValueSource(strings = {"put", "delete", "complete"})
    void nothingIsStoredAfterAWriteOfUnknownOutcome(String kind) {
        target.put(target.cached(), "a", random(1, 1000));
        assertThat(read("a", 1)).isEqualTo("hit");
        loseAnswer(kind.equals("delete") ? "delete" : "put");
        assertThatThrownBy(() -> write(kind)).isInstanceOf(StoreException.BackendUnavailable.class);
        for (int turn = 0; turn < 2; turn++) {
            assertThat(read("a", 1)).isEqualTo("bypass");
            assertThat(target.stored(target.cached(), "a")).isFalse();
        }
        target.inCloud("a", random(2, 1000)); // it lands
        assertThat(read("a", 2)).isEqualTo("bypass");
        target.inCloud("b", random(3, 1000));
        assertThat(read("b", 3)).as("another key").isEqualTo("miss");
    }

    /// Nor what a later PUT wrote: the earlier one may still land upon it.
    @Test
    void laterWriteIsNotStoredEither() {
        loseAnswer("put");
        assertThatThrownBy(() -> write("put")).isInstanceOf(StoreException.BackendUnavailable.class);
        var written = target.put(target.cached(), "a", random(3, 1000));
        assertThat(written.header("ETag")).isEqualTo('"' + TargetFixture.md5(random(3, 1000)) + '"');
        assertThat(target.stored(target.cached(), "a")).isFalse();
        target.inCloud("a", random(2, 1000));
        assertThat(read("a", 2)).isEqualTo("bypass");
    }

    /// The first attempt of a DELETE may land upon a later PUT.
    @Test
    void writeWhoseFirstAttemptBrokeOffCountsAsUnknown() {
        target.cloud().before((operation, _) -> {
            if (operation.equals("delete")) {
                BackendCalls.Attempts.noteLost();
            }
        });
        assertThat(target.delete(target.cached(), "a").status()).isEqualTo(204);
        target.put(target.cached(), "a", random(1, 1000));
        assertThat(target.stored(target.cached(), "a")).isFalse();
        assertThat(read("a", 1)).isEqualTo("bypass");
    }

    @Test
    void writeThatTheCloudRefusedIsOver() {
        target.inCloud("a", random(1, 1000));
        target.cloud().before((operation, _) -> {
            if (operation.equals("put")) {
                throw new StoreException.BackendDenied("not today");
            }
        });
        assertThatThrownBy(() -> write("put")).isInstanceOf(StoreException.BackendDenied.class);
        assertThat(read("a", 1)).isEqualTo("miss");
        assertThat(read("a", 1)).isEqualTo("hit");
    }

    @Test
    void keyIsStoredAgainAfterAMinute() throws Exception {
        var fills = new Fills(new UnknownWrites(now::get));
        target.inCloud("a", random(1, 1000));
        loseAnswer("delete");
        var writes = target.writeThrough(fills);
        assertThatThrownBy(() -> writes.delete(target.cached(), "a", DeleteConditions.NONE))
                .isInstanceOf(StoreException.BackendUnavailable.class);
        passes(MINUTE.minusNanos(1));
        assertThat(fill(fills)).isEqualTo(CacheResult.BYPASS);
        passes(Duration.ofNanos(1));
        assertThat(fill(fills)).isEqualTo(CacheResult.MISS);
        eventually(() -> fills.count() == 0);
        assertThat(target.stored(target.cached(), "a")).isTrue();
    }

    private CacheResult fill(Fills fills) {
        var call = TargetFixture.getCall(target.cached(), "a", Optional.empty(), Conditions.NONE);
        var filled = target.coldFill(fills, ParallelFetch.Terms.USUAL).answer(call, ColdFillTest.asked(call), false);
        assertThat(Received.of(filled.response().orElseThrow()).body()).isEqualTo(random(1, 1000));
        return filled.result();
    }

    // ---- what a restart knows

    private TargetFixture restarted() throws IOException {
        target.requireNothingLeft();
        target.close();
        target = new TargetFixture(folder, target.cloud());
        return target;
    }

    @Test
    void targetThatWasStoppedInOrderStoresAtOnce() throws IOException {
        target.inCloud("a", random(1, 1000));
        restarted();
        assertThat(read("a", 1)).isEqualTo("miss");
        assertThat(read("a", 1)).isEqualTo("hit");
    }

    @Test
    void targetThatWasStoppedAfterAWriteOfUnknownOutcomeStoresNothingAtFirst() throws IOException {
        target.inCloud("a", random(1, 1000));
        loseAnswer("put");
        assertThatThrownBy(() -> write("put")).isInstanceOf(StoreException.BackendUnavailable.class);
        for (int life = 0; life < 2; life++) {
            restarted();
            assertThat(read("a", 1)).isEqualTo("bypass");
            assertThat(target.stored(target.cached(), "a")).isFalse();
        }
    }

    private Path killed() throws Exception {
        var killed = Files.createTempDirectory(folder, "killed");
        var copying = new ProcessBuilder(
                        "cp",
                        "-a",
                        target.drive().toString(),
                        killed.resolve("d1").toString())
                .inheritIO()
                .start();
        assertThat(copying.waitFor()).isZero();
        return killed;
    }

    /// What it had cached before is right: each write deletes that first.
    @Test
    void targetThatWroteAndWasKilledStoresNothingAtFirst() throws Exception {
        target.put(target.cached(), "a", random(1, 1000));
        target.inCloud("b", random(2, 1000));
        try (var next = new TargetFixture(killed(), target.cloud())) {
            assertThat(next.get(next.cached(), "a").header("x-sluice-cache")).isEqualTo("hit");
            for (int turn = 0; turn < 2; turn++) {
                assertThat(next.get(next.cached(), "b").header("x-sluice-cache"))
                        .isEqualTo("bypass");
            }
            next.put(next.cached(), "c", random(3, 1000));
            assertThat(next.stored(next.cached(), "c")).isFalse();
            next.requireNothingLeft();
        }
    }

    /// The mark is there before the cloud hears of the first write.
    @Test
    void targetThatIsKilledInItsFirstWriteStoresNothingAtFirst() throws Exception {
        target.inCloud("b", random(2, 1000));
        var before = killed();
        var during = new AtomicReference<Path>();
        target.cloud().before((operation, _) -> {
            if (operation.equals("delete")) {
                during.set(assertDoesNotThrow(this::killed));
            }
        });
        target.delete(target.cached(), "a");
        for (var life : List.of(before, during.get())) {
            try (var next = new TargetFixture(life, target.cloud())) {
                assertThat(next.get(next.cached(), "b").header("x-sluice-cache"))
                        .isEqualTo(life.equals(before) ? "miss" : "bypass");
                next.requireNothingLeft();
            }
        }
    }

    /// A job that took them for stored would leave them out.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void jobsAreToldWhenAKeyIsStoredAgain(boolean all) {
        var unknown = new UnknownWrites(now::get);
        var cold = target.coldFill(new Fills(unknown), ParallelFetch.Terms.USUAL);
        target.inCloud("a", random(1, 1000));
        if (all) {
            unknown.all();
        } else {
            unknown.add(new Fills.Key(target.cached().id(), "a"));
        }
        passes(Duration.ofSeconds(20));
        assertThatThrownBy(() -> cold.store(target.cached(), "a"))
                .isInstanceOfSatisfying(
                        StoreException.Unavailable.class,
                        later -> assertThat(later.retryAfter()).isEqualTo(MINUTE.minusSeconds(20)));
        passes(MINUTE.minusSeconds(20));
        assertThat(assertDoesNotThrow(() -> cold.store(target.cached(), "a"))).isTrue();
    }
}
