package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.core.Copying;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.SlotCore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyTurnsTest {
    private static final Learning FIRST = new Learning(1, 2, 1);
    private static final Learning SECOND = new Learning(3, 3, 1);
    private static final long SECOND_NANOS = 1_000_000_000;

    @TempDir
    private Path folder;

    private RecordedLoops loops;
    private final CopyTurns turns = new CopyTurns();
    private final List<LocalReplica> begun = new ArrayList<>();
    private long now = 1;

    @BeforeEach
    void open() throws Exception {
        loops = new RecordedLoops(folder, 1, "d1");
    }

    @AfterEach
    void close() {
        loops.close();
    }

    private LocalReplica replica(int slot) {
        return new LocalReplica(loops.loop("d1"), 1, slot, new SlotCore("d1", 1));
    }

    private LocalReplica learner(int slot, String source, int inSync) {
        var replica = replica(slot);
        follow(replica, FIRST, source, inSync);
        return replica;
    }

    private void follow(LocalReplica replica, Learning learning, String source, int inSync) {
        turns.copies(replica, new Copying(learning, source), inSync);
    }

    private void learned(LocalReplica replica) {
        turns.copiesNothing(replica);
    }

    private List<LocalReplica> given() {
        begun.clear();
        turns.give(now, begun::add);
        return List.copyOf(begun);
    }

    @Test
    void noSourceIsAskedByMoreThanItsShareAndAllTogetherHaveABound() {
        var all = new ArrayList<LocalReplica>();
        for (int slot = 0; slot < 600; slot++) {
            all.add(learner(slot, "source" + slot % 2, 1));
        }
        assertThat(given()).containsExactlyElementsOf(all.subList(0, 2 * CopyTurns.MOST_OF_A_SOURCE));
        for (int slot = 600; slot < 1_600; slot++) {
            learner(slot, "source" + slot % 10, 1);
        }
        assertThat(given()).hasSize(CopyTurns.MOST - 2 * CopyTurns.MOST_OF_A_SOURCE);
        assertThat(turns.underWay()).isEqualTo(CopyTurns.MOST);
        assertThat(given()).isEmpty();
        learned(all.getFirst());
        assertThat(given()).as("of the same source").containsExactly(all.get(128));
        all.subList(1, 100).forEach(this::learned);
        assertThat(given()).hasSize(99);
        assertThat(turns.underWay()).isEqualTo(CopyTurns.MOST);
    }

    @Test
    void slotsWithTheFewestReplicasComeFirstThenThoseThatWaitedLongest() {
        var safe = learner(1, "a", 2);
        var alone = learner(2, "a", 1);
        var aloneToo = learner(3, "b", 1);
        var becameAlone = learner(4, "b", 2);
        follow(becameAlone, FIRST, "b", 1);
        assertThat(given()).containsExactly(alone, aloneToo, becameAlone, safe);
    }

    @Test
    void whoHasNothingToCopyAnyMoreHasNoTurnAndWaitsForNone() {
        var learner = learner(1, "a", 1);
        learned(learner);
        assertThat(given()).isEmpty();
        follow(learner, SECOND, "b", 1);
        assertThat(given()).as("with another primary it begins again").containsExactly(learner);
        follow(learner, SECOND, "b", 2);
        assertThat(given()).as("it has its turn already").isEmpty();
        follow(learner, FIRST, "a", 2);
        assertThat(turns.has(learner)).isFalse();
        learned(learner);
        assertThat(turns.waiting() + turns.underWay()).isZero();
    }

    /// Its source may be gone, and the others are not to wait for it.
    @Test
    void turnEndsWhenNothingComesAndIsGivenAgainAfterTheOthers() {
        var all = new ArrayList<LocalReplica>();
        for (int slot = 0; slot < CopyTurns.MOST_OF_A_SOURCE + 2; slot++) {
            all.add(learner(slot, "a", 1));
        }
        var last = all.subList(CopyTurns.MOST_OF_A_SOURCE, all.size());
        assertThat(given()).hasSize(CopyTurns.MOST_OF_A_SOURCE);
        now += 4 * SECOND_NANOS;
        var steady = all.getFirst();
        steady.copied(now);
        now += 2 * SECOND_NANOS;
        turns.tick(now);
        assertThat(turns.has(steady)).isTrue();
        assertThat(turns.underWay()).isEqualTo(1);
        var next = given();
        assertThat(next).hasSize(CopyTurns.MOST_OF_A_SOURCE - 1).startsWith(last.getFirst(), last.getLast());
        assertThat(turns.waiting()).isEqualTo(2);
        learner(1_000, "a", 1);
        learned(last.getFirst());
        assertThat(given().getFirst().slot())
                .as("those that lost a turn come last")
                .isEqualTo(1_000);
    }

    @Test
    void rowsThatWaitForAThreadToBePulledAreOnTheirWay() {
        var learner = learner(1, "a", 1);
        assertThat(given()).containsExactly(learner);
        learner.pullWaits();
        now += 6 * SECOND_NANOS;
        turns.tick(now);
        assertThat(turns.has(learner)).isTrue();
        learner.pullBegins();
        turns.tick(now);
        assertThat(turns.has(learner)).isFalse();
    }
}
