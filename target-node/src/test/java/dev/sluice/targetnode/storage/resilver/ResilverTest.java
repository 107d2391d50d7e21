package dev.sluice.targetnode.storage.resilver;

import static dev.sluice.targetnode.storage.resilver.ResilverFixture.keys;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.spread.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// When keys are brought to where they belong, and what is made of it when that fails.
@Timeout(60)
class ResilverTest {
    @TempDir
    private Path folder;

    private final List<CountDownLatch> gates = new ArrayList<>();
    private Optional<ResilverFixture> opened = Optional.empty();

    @BeforeEach
    void open() throws Exception {
        opened = Optional.of(new ResilverFixture(folder, 3));
    }

    @AfterEach
    void close() {
        gates.forEach(CountDownLatch::countDown);
        target().close();
    }

    private ResilverFixture target() {
        return opened.orElseThrow();
    }

    /// Keys on the first two drives, where they belong until the third takes writes too.
    private String[] spreadOverTwo(int count) {
        var target = target();
        target.table = target.table.without("d3").settled();
        var keys = keys(count);
        for (var key : keys) {
            target.put(target.holders(key).getFirst(), 1, key);
        }
        return keys;
    }

    private String[] thirdIsBack(int count) {
        var keys = spreadOverTwo(count);
        target().table = target().table.withBack("d3");
        return keys;
    }

    /// Opened at the end of the test at the latest.
    private CountDownLatch gate() {
        var gate = new CountDownLatch(1);
        gates.add(gate);
        return gate;
    }

    private static void pass(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException _) {
            throw new StoreException.Unavailable("interrupted");
        }
    }

    // ---- what it leaves alone

    @Test
    void keysOfReplicatedBucketStayOnTheirDrives() {
        var target = target();
        var keys = thirdIsBack(30);
        var replicated = keys(30);
        target.put("d1", ResilverFixture.REPLICATED.id(), 1, replicated);
        target.startAndBegin();
        target.awaitIdle();
        assertThat(target.allInPlace(keys)).isTrue();
        assertThat(target.table.isSettled()).isTrue();
        assertThat(target.broughtOf(ResilverFixture.REPLICATED)).isZero();
        assertThat(target.broughtOf(ResilverFixture.BUCKET)).isPositive();
        assertThat(target.status().keys()).isEqualTo(60);
    }

    // ---- when it begins

    @Test
    void itBeginsByItselfWhenTheDrivesHaveBeenAsTheyAreForAWhile() {
        var target = target();
        var keys = spreadOverTwo(300);
        target.startAndBegin();
        target.awaitIdle();
        assertThat(target.brought).isEmpty();

        target.table = target.table.withBack("d3");
        target.letStep();
        target.advance(Duration.ofMillis(2900));
        assertThat(target.brought).isEmpty();
        eventually(() -> target.status().state() == ResilverStatus.State.WAITING
                && target.status().reason().equals(Optional.of("the drives have just changed")));
        assertThat(target.brought).isEmpty();

        target.advance(Duration.ofMillis(200));
        target.awaitIdle();
        assertThat(target.table.isSettled()).isTrue();
        assertThat(target.allInPlace(keys)).isTrue();
        assertThat(target.settlings).containsExactly(Set.of("d1", "d2", "d3"));
        var status = target.status();
        assertThat(status.movedObjects())
                .isEqualTo(target.brought.size())
                .isBetween(50L, 150L); // a third belongs on the third drive, and nothing else was touched
        assertThat(status.movedBytes()).isEqualTo(status.movedObjects() * ResilverFixture.SIZE);
        assertThat(status.finishedMillis()).isGreaterThan(status.begunMillis() - 1);
    }

    @Test
    void aDriveThatComesAndGoesPutsItOffForTenSecondsAtMost() {
        var target = target();
        spreadOverTwo(30);
        target.startAndBegin();
        target.awaitIdle();
        var without = target.table;
        for (int second = 0; second < 10; second += 2) {
            target.table = second % 4 == 0 ? target.table.withBack("d3") : target.table.without("d3");
            target.letStep();
            assertThat(target.settlings).as("after %d s", second).isEmpty();
            target.advance(Duration.ofSeconds(2));
        }
        assertThat(target.table.current()).isNotEqualTo(without.current());
        eventually(() -> !target.settlings.isEmpty());
    }

    @Test
    void anOperatorNeedsNotWaitAndMayHaveASettledTargetLookedAt() {
        var target = target();
        var keys = spreadOverTwo(30);
        var resilver = target.startAndBegin();
        target.awaitIdle();
        target.put("d3", 1, "astray");
        assertThat(resilver.obey(ResilverCommand.START).state()).isEqualTo(ResilverStatus.State.RUNNING);
        target.awaitIdle();
        assertThat(target.allInPlace("astray")).isTrue();
        assertThat(target.brought).containsExactly("astray");
        assertThat(target.status().keys()).isEqualTo(keys.length + 1);
        assertThat(target.settlings).as("it was settled all the time").isEmpty();
    }

    // ---- copies

    @Test
    void copiesThatAreMissingOrOldAreRenewedAndOthersLeftAlone() {
        var target = target();
        target.table = target.table.copying(ResilverFixture.BUCKET.id(), 2, false);
        for (var key : List.of("missing", "old", "same")) {
            target.put(target.holders(key).getFirst(), 2, key);
        }
        target.put(target.holders("old").getLast(), 1, "old");
        target.put(target.holders("same").getLast(), 2, "same");
        target.startAndBegin();
        target.awaitIdle();
        assertThat(target.allInPlace("missing", "old", "same")).isTrue();
        assertThat(target.entry(target.holders("old").getLast(), "old")
                        .orElseThrow()
                        .version()
                        .sequence())
                .isEqualTo(2);
        assertThat(new HashSet<>(target.brought)).containsExactlyInAnyOrder("missing", "old");
    }

    @Test
    void aDriveThatIsOnlyReadIsEmptiedToo() {
        var target = target();
        target.drive("d1").freeze();
        target.put("d1", 1, keys(50));
        target.table = target.table.detaching("d1");
        target.startAndBegin();
        eventually(() -> target.table.isSettled());
        assertThat(target.brought).containsExactlyInAnyOrder(keys(50));
        assertThat(target.settlings.getFirst()).contains("d1");
    }

    @Test
    void objectsOfNoBucketStayAndHoldNothingUp() {
        var target = target();
        var keys = thirdIsBack(20);
        target.put("d1", 99, 1, "stranger");
        target.startAndBegin();
        eventually(() -> target.table.isSettled());
        assertThat(target.allInPlace(keys)).isTrue();
        assertThat(target.brought).doesNotContain("stranger");
    }

    // ---- going on

    @Test
    void afterARestartItGoesOnWhereItWas() {
        var target = target();
        target.put("d1", 1, keys(1000));
        target.table = target.table.detaching("d1");
        var gate = gate();
        target.beforeBringing = key -> {
            if (key.compareTo("k00600") >= 0) {
                pass(gate);
            } else if (key.compareTo("k00300") >= 0) {
                target.ticks.advance(Duration.ofSeconds(6));
            }
        };
        target.startAndBegin();
        eventually(() -> stored().keys() >= 250);
        assertThat(stored().ended()).isFalse();
        long kept = stored().keys();
        target.start(); // the one before ends in the middle of what it does
        long atEnd = stored().keys();
        assertThat(atEnd).isBetween(kept, 600L);
        gate.countDown();
        target.brought.clear();
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.table.isSettled());
        assertThat(target.brought)
                .containsExactlyInAnyOrder(Stream.of(keys(1000)).skip(atEnd).toArray(String[]::new));
        assertThat(stored().keys()).as("counted from the first one on").isEqualTo(1000);
        assertThat(target.settlings).hasSize(1);
    }

    private Position stored() {
        return target().drive("d1").call(() -> Position.readFrom(target().drive("d1")));
    }

    @Test
    void anotherTableIsAnotherPass() {
        var target = target();
        target.put("d1", 1, keys(100));
        target.table = target.table.detaching("d1");
        var gate = gate();
        target.beforeBringing = key -> {
            if (key.equals("k00050")) {
                pass(gate);
            }
        };
        target.startAndBegin();
        eventually(() -> target.brought.contains("k00049"));
        target.put("d1", 1, "k00000"); // as a write under the earlier spread leaves it
        target.table = target.table.without("d3");
        gate.countDown();
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.table.isSettled());
        assertThat(target.allInPlace(keys(100))).isTrue();
    }

    /// A drive was out for less than the grace, and a key that belongs there was written elsewhere.
    @Test
    void aTableThatSaysTheSameAsOneBeforeIsAnotherPassToo() {
        var target = target();
        thirdIsBack(100);
        target.refusal = Optional.of("not yet");
        target.startAndBegin();
        eventually(() -> !target.settlings.isEmpty());
        var before = target.table;
        target.table = target.table.without("d3").withBack("d3");
        assertThat(target.table.current()).isEqualTo(before.current());
        assertThat(target.table.earlier()).isEqualTo(before.earlier());
        for (var key : keys(10)) {
            target.put("d1", 2, key);
        }
        target.refusal = Optional.empty();
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.table.isSettled());
        assertThat(target.allInPlace(keys(100))).isTrue();
    }

    @Test
    void itGoesOnWithoutADriveThatGoesOutAndLooksAtItWhenItIsBack() {
        var target = target();
        target.put("d1", 1, keys(100));
        target.put("d3", 1, "only");
        target.table = target.table.detaching("d1").detaching("d3");
        target.refusal = Optional.of("waits for drive d3");
        target.beforeBringing = key -> {
            if (key.equals("k00050")) {
                target.readable.remove("d3");
            }
        };
        target.failing.add("only");
        target.startAndBegin();
        eventually(() -> target.settlings.contains(Set.of("d1", "d2")));
        assertThat(target.entry("d2", "k00099")).isPresent();
        eventually(() -> target.status().reason().equals(Optional.of("waits for drive d3")));

        target.failing.clear();
        target.refusal = Optional.empty();
        target.readable.put("d3", target.drive("d3"));
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.table.isSettled());
        assertThat(target.entry("d2", "only")).isPresent();
        assertThat(target.settlings.getLast()).containsExactlyInAnyOrder("d1", "d2", "d3");
    }

    /// From the first object on.
    @RepeatedTest(10)
    void whileItMovesItIsShownAsRunning() {
        var target = target();
        target.put("d1", 1, keys(10));
        target.table = target.table.detaching("d1");
        var states = ConcurrentHashMap.<ResilverStatus.State>newKeySet();
        target.beforeBringing = _ -> states.add(target.status().state());
        target.startAndBegin();
        eventually(() -> target.table.isSettled());
        assertThat(states).containsExactly(ResilverStatus.State.RUNNING);
    }

    // ---- failures

    @Test
    void whatFailsIsShownAndOnlyThatIsTriedAgain() {
        var target = target();
        target.put("d1", 1, keys(300));
        target.table = target.table.detaching("d1");
        target.failing.addAll(List.of("k00007", "k00200"));
        target.startAndBegin();
        eventually(() -> target.status().state() == ResilverStatus.State.WAITING
                && target.status().keys() == 300);
        var status = target.status();
        assertThat(status.failures()).isEqualTo(2);
        assertThat(status.latest())
                .extracting(each -> each.bucket() + "/" + each.key() + ": " + each.why())
                .containsExactlyInAnyOrder("shards/k00007: no room for k00007", "shards/k00200: no room for k00200");
        assertThat(status.reason()).contains("2 objects could not be moved: tried again soon");
        assertThat(target.settlings).isEmpty();
        assertThat(target.brought).hasSize(300);

        target.advance(Patience.FIRST);
        eventually(() -> target.brought.size() == 302);
        target.awaitWaiting();
        target.failing.clear();
        target.advance(Patience.FIRST);
        assertThat(target.brought).as("the pause grows").hasSize(302);
        target.advance(Patience.FIRST);
        eventually(() -> target.table.isSettled());
        assertThat(target.brought).hasSize(304);
        target.awaitIdle();
        assertThat(target.status().failures()).isZero();
    }

    /// The drive may go out, or the process end, at any moment.
    @Test
    void whatIsTriedAgainIsNotKeptAsDoneMeanwhile() {
        var target = target();
        target.put("d1", 1, keys(10));
        target.table = target.table.detaching("d1");
        target.failing.addAll(List.of("k00003", "k00007"));
        target.startAndBegin();
        eventually(() -> target.status().state() == ResilverStatus.State.WAITING && target.brought.size() == 10);
        var kept = new CopyOnWriteArrayList<Position>();
        target.beforeBringing = _ -> kept.add(stored());
        target.advance(Duration.ofSeconds(6)); // so that it is kept after the first of them
        eventually(() -> target.brought.size() == 12);
        assertThat(kept).hasSize(2).noneMatch(Position::isDone);
    }

    @Test
    void whenTooManyFailAllAreLookedAtAgain() {
        var target = target();
        target.put("d1", 1, keys(200));
        target.table = target.table.detaching("d1");
        target.failing.addAll(List.of(keys(150)));
        target.startAndBegin();
        eventually(() -> target.status().state() == ResilverStatus.State.WAITING
                && target.status().keys() == 200);
        assertThat(target.status().failures()).isEqualTo(150);
        assertThat(target.status().latest()).hasSize(100);
        target.failing.clear();
        target.advance(Patience.FIRST);
        eventually(() -> target.table.isSettled());
        assertThat(target.allInPlace(keys(200))).isTrue();
    }

    // ---- settling

    @Test
    void aRefusedSettlingIsAskedForAgainWithoutAnotherPass() {
        var target = target();
        thirdIsBack(100);
        target.refusal = Optional.of("uploads under way");
        target.startAndBegin();
        eventually(() -> target.settlings.size() == 1);
        eventually(() -> target.status().reason().equals(Optional.of("uploads under way")));
        var before = target.status();
        assertThat(before.state()).isEqualTo(ResilverStatus.State.WAITING);
        int brought = target.brought.size();

        target.advance(Duration.ofSeconds(2));
        assertThat(target.settlings).hasSize(1);
        target.advance(Duration.ofSeconds(2));
        eventually(() -> target.settlings.size() == 2);
        target.refusal = Optional.empty();
        target.advance(Duration.ofSeconds(3));
        target.awaitIdle();
        assertThat(target.settlings).hasSize(3);
        assertThat(target.brought).hasSize(brought);
        assertThat(target.status().begunMillis()).isEqualTo(before.begunMillis());
    }

    // ---- an operator's stop

    @Test
    void stoppedItStaysWhereItIsUntilItIsStarted() {
        var target = target();
        target.put("d1", 1, keys(500));
        target.table = target.table.detaching("d1");
        var gate = gate();
        target.beforeBringing = key -> {
            if (key.compareTo("k00100") >= 0) {
                pass(gate);
            }
        };
        var resilver = target.startAndBegin();
        eventually(() -> target.brought.size() == 100);
        assertThat(resilver.obey(ResilverCommand.STOP).state()).isEqualTo(ResilverStatus.State.STOPPED);
        gate.countDown();
        eventually(() -> stored().keys() >= 100); // which it stores when it ends
        int stoppedAt = target.brought.size();
        assertThat(stoppedAt).isLessThan(150);
        target.advance(Duration.ofMinutes(10));
        assertThat(target.brought).hasSize(stoppedAt);
        assertThat(target.status().state()).isEqualTo(ResilverStatus.State.STOPPED);

        resilver.obey(ResilverCommand.START);
        eventually(() -> target.table.isSettled());
        assertThat(target.brought).as("each once").hasSize(500);
    }

    // ---- notes

    @Test
    void justTheNotesThatAreDoneAreRemoved() {
        var target = target();
        for (var key : List.of("a", "b", "c")) {
            target.put("d1", 1, key);
            target.note("d1", key, 1);
        }
        target.note("d2", "a", 1);
        target.failing.add("b");
        target.beforeBringing = key -> {
            if (key.equals("c")) {
                target.note("d1", "c", 0); // of a write that just happens, and not seen any more
            }
        };
        target.startAndBegin();
        eventually(() -> target.notes("d1").equals(List.of("b1", "c0")));
        eventually(() -> target.notes("d2").isEmpty());
        target.awaitWaiting();
        assertThat(target.status().failures()).isEqualTo(1);
        target.failing.clear();
        target.beforeBringing = _ -> {};
        target.advance(Patience.FIRST);
        eventually(() -> target.notes("d1").isEmpty());
        target.awaitIdle();
    }

    @Test
    void notesStayWhileThereIsAnEarlierSpread() {
        var target = target();
        thirdIsBack(10);
        target.note("d1", "k00000", 1);
        target.refusal = Optional.of("not yet");
        target.startAndBegin();
        eventually(() -> target.settlings.size() == 1);
        assertThat(target.brought).contains("k00000");
        assertThat(target.notes("d1")).containsExactly("k000001");

        target.refusal = Optional.empty();
        target.advance(Duration.ofSeconds(3));
        eventually(() -> target.table.isSettled());
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.notes("d1").isEmpty());
    }

    // ---- pace

    @Test
    void itIsNoFasterThanItsRate() {
        var target = target();
        target.put("d1", 1, keys(40));
        target.table = target.table.detaching("d1");
        target.start(new ResilverSettings(4 << 20, Duration.ZERO));
        for (int second = 0; second < 5; second++) {
            double most = 1 + second * 4.0; // MiB, of one each
            target.letStep();
            assertThat(target.brought.size()).as("after %d s", second).isLessThanOrEqualTo((int) most);
            for (int step = 0; step < 10; step++) {
                target.ticks.advance(Duration.ofMillis(100));
                target.letStep();
            }
        }
        assertThat(target.brought.size()).isBetween(15, 21);
        eventually(() -> {
            target.advance(Duration.ofSeconds(1));
            return target.table.isSettled();
        });
    }

    @Test
    void itLetsRequestsGoFirst() throws Exception {
        var target = target();
        target.table = target.table.without("d3").settled().detaching("d1");
        target.put("d1", 1, keys(5));
        target.start();
        target.letStep();
        var release = new CountDownLatch(1);
        var busy = new CountDownLatch(4);
        for (int thread = 0; thread < 4; thread++) { // all of the drive that the keys are brought to
            var _ = target.drive("d2").startStep(() -> {
                busy.countDown();
                release.await();
            });
        }
        busy.await();
        var request = target.drive("d2").startStep(() -> {});
        try {
            target.advance(ResilverSettings.GRACE);
            eventually(() -> target.status().state() == ResilverStatus.State.RUNNING);
            target.letStep();
            assertThat(target.brought).isEmpty();
        } finally {
            release.countDown();
            request.join();
        }
        eventually(() -> target.table.isSettled());
    }

    @Test
    void aNewDriveGetsItsShare() throws Exception {
        var target = target();
        var keys = spreadOverTwo(200);
        target.startAndBegin();
        target.awaitIdle();
        target.open("d4");
        target.table = target.table.attaching("d4", Member.at("/d4", 1));
        target.letStep();
        target.advance(ResilverSettings.GRACE);
        eventually(() -> target.table.isSettled());
        assertThat(target.allInPlace(keys)).isTrue();
        assertThat(target.brought.size()).isBetween(35, 110);
    }
}
