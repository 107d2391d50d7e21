package dev.sluice.targetnode.controller.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Four targets that beat each 250 ms, and hear whom the test lets them hear.
@Timeout(60)
class ReachabilityTest {
    private static final long BEAT = 250_000_000;

    private final NodeId[] ids =
            IntStream.range(0, 4).mapToObj(i -> new NodeId("target00" + i)).toArray(NodeId[]::new);
    private final TreeMap<NodeId, TargetEntry> entries = new TreeMap<>();
    private final Map<NodeId, Optional<Set<NodeId>>> opinions = new HashMap<>();
    private final Set<NodeId> silent = new HashSet<>();
    private long now;
    private long number;
    private final Reachability reachability = new Reachability(() -> now);

    ReachabilityTest() {
        for (var id : ids) {
            entries.put(id, entry(true, false));
            opinions.put(id, Optional.of(Set.of(ids)));
        }
        reachability.follow(entries);
        pass(8);
    }

    private static TargetEntry entry(boolean up, boolean muted) {
        return new TargetEntry(1, "nonce", "boot", up, 1, muted);
    }

    private void pass(int beats) {
        for (int i = 0; i < beats; i++) {
            now += BEAT;
            number++;
            for (var id : ids) {
                if (!silent.contains(id)) {
                    reachability.beat(new Heartbeat(id, 1, number, Set.of(), opinion(id), number));
                }
            }
        }
    }

    private Optional<Set<NodeId>> opinion(NodeId id) {
        return opinions.getOrDefault(id, Optional.empty());
    }

    private void cut(int one, int other) {
        for (var each : new int[][] {{one, other}, {other, one}}) {
            var heard = new HashSet<>(opinion(ids[each[0]]).orElseThrow());
            heard.remove(ids[each[1]]);
            opinions.put(ids[each[0]], Optional.of(heard));
        }
    }

    private void cutOff(int one) {
        IntStream.range(0, 4).filter(other -> other != one).forEach(other -> cut(one, other));
    }

    @Test
    void nobodyIsMutedWhoIsHeard() {
        assertThat(reachability.toMute()).isEmpty();
        assertThat(reachability.pairs()).isEmpty();
        cut(0, 1);
        pass(1);
        assertThat(reachability.toMute()).as("two of three hear it").isEmpty();
        assertThat(reachability.pairs()).containsExactly(UnreachablePair.of(ids[1], ids[0]));
    }

    @Test
    void whoIsHeardByTheFewestIsMutedFirst() {
        cutOff(2);
        pass(1);
        assertThat(reachability.isHeardByFew(ids[2])).isTrue();
        assertThat(reachability.toMute()).containsExactly(ids[2]);
        cut(3, 0); // heard by one of three
        pass(1);
        assertThat(reachability.toMute().getFirst()).isEqualTo(ids[2]);
    }

    @Test
    void whoIsMutedHasNoOpinionAboutOthers() {
        cut(0, 2);
        cut(0, 3);
        cut(1, 2);
        cut(1, 3);
        pass(1);
        assertThat(reachability.toMute()).as("halves").hasSize(4).startsWith(ids[0]);
        entries.put(ids[0], entry(true, true));
        pass(1);
        assertThat(reachability.toMute()).containsExactly(ids[1]);
        entries.put(ids[1], entry(true, true));
        pass(1);
        assertThat(reachability.toMute()).as("of two nobody can say").isEmpty();
        assertThat(reachability.toUnmute()).isEmpty();
    }

    @Test
    void mutedTargetHasToHearAndBeHeard() {
        cutOff(2);
        entries.put(ids[2], entry(false, true));
        pass(1);
        assertThat(reachability.toUnmute()).isEmpty();
        opinions.put(ids[0], Optional.of(Set.of(ids)));
        opinions.put(ids[1], Optional.of(Set.of(ids)));
        pass(1);
        assertThat(reachability.toUnmute()).as("it hears nobody").isEmpty();
        opinions.put(ids[2], Optional.of(Set.of(ids[0], ids[1])));
        pass(1);
        assertThat(reachability.toUnmute()).containsExactly(ids[2]);
    }

    private void follow(int target, TargetEntry entry) {
        entries.put(ids[target], entry);
        reachability.follow(new TreeMap<>(entries));
    }

    private void pauses(int target) {
        silent.add(ids[target]);
        pass(3);
        silent.clear();
    }

    /// Slots change whenever it is muted, and when it is not.
    @Test
    void whoIsMutedAgainSoonStaysMutedForLonger() {
        follow(2, entry(false, true));
        assertThat(reachability.toUnmute()).containsExactly(ids[2]);
        follow(2, entry(true, false));
        pauses(2);
        follow(2, entry(false, true));
        pass(12);
        assertThat(reachability.toUnmute()).isEmpty();
        pass(2);
        assertThat(reachability.toUnmute()).containsExactly(ids[2]);
        follow(2, entry(true, false));
        pass(60);
        pauses(2);
        follow(2, entry(false, true));
        pass(6);
        assertThat(reachability.toUnmute()).as("that was long ago").containsExactly(ids[2]);
    }

    /// Its promise does not lapse.
    @Test
    void targetThatBeatsNowAndThenMayBeCutOffFromOthers() {
        cutOff(2);
        for (int i = 0; i < 4; i++) {
            silent.add(ids[2]);
            pass(2);
            silent.clear();
            pass(1);
        }
        assertThat(reachability.toMute()).isEmpty();
        assertThat(reachability.pairs())
                .contains(UnreachablePair.of(ids[0], ids[2]), UnreachablePair.of(ids[1], ids[2]));
    }

    /// After the controller's start it may be the first to beat.
    @Test
    void mutedTargetIsNotUnmutedBeforeOthersCanSay() {
        cutOff(2);
        entries.put(ids[2], entry(false, true));
        var begun = new Reachability(() -> now);
        begun.follow(entries);
        begun.beat(new Heartbeat(ids[2], 1, number, Set.of(), opinion(ids[2]), number));
        assertThat(begun.toUnmute()).isEmpty();
    }

    @Test
    void oldOpinionsDoNotCount() {
        cutOff(2);
        pass(1);
        now += Reachability.FRESH.toNanos();
        assertThat(reachability.toMute()).isEmpty();
        assertThat(reachability.pairs()).isEmpty();
        assertThat(reachability.isHeardByFew(ids[2])).isFalse();
    }

    @Test
    void whoDoesNotBeatIsNotJudged() {
        silent.add(ids[2]);
        cutOff(2);
        pass(3);
        assertThat(reachability.toMute()).as("its promise lapses").isEmpty();
        pass(3);
        assertThat(reachability.pairs()).as("it is not cut off from anybody").isEmpty();
    }

    @Test
    void whoHasJustBegunIsNotJudged() {
        silent.add(ids[2]);
        pass(4);
        silent.clear();
        cutOff(2);
        pass(2);
        assertThat(reachability.toMute()).isEmpty();
        pass(3);
        assertThat(reachability.toMute()).containsExactly(ids[2]);
    }

    @Test
    void whoSaysNothingIsNotCounted() {
        opinions.put(ids[0], Optional.empty());
        opinions.put(ids[1], Optional.empty());
        cut(2, 3);
        pass(1);
        assertThat(reachability.toMute()).as("one opinion is too few").isEmpty();
    }

    @Test
    void requestIsVoidAWhileAfterItsBeat() {
        assertThat(reachability.hasJustBeaten(ids[0], 1, number)).isTrue();
        assertThat(reachability.hasJustBeaten(ids[0], 2, number))
                .as("another process")
                .isFalse();
        assertThat(reachability.hasJustBeaten(ids[0], 1, number + 1))
                .as("not answered")
                .isFalse();
        long named = number;
        pass(6);
        assertThat(reachability.hasJustBeaten(ids[0], 1, named)).isTrue();
        reachability.beat(new Heartbeat(ids[0], 1, named, Set.of(), opinion(ids[0]), named)); // it comes twice
        pass(1);
        assertThat(reachability.hasJustBeaten(ids[0], 1, named)).isFalse();
    }

    @Test
    void healedPairIsToldOnce() {
        assertThat(reachability.someHearAgain()).isFalse();
        cut(0, 1);
        pass(1);
        assertThat(reachability.someHearAgain()).isFalse();
        opinions.put(ids[0], Optional.of(Set.of(ids)));
        opinions.put(ids[1], Optional.of(Set.of(ids)));
        pass(1);
        assertThat(reachability.someHearAgain()).isTrue();
        assertThat(reachability.someHearAgain()).isFalse();
    }

    @Test
    void newestBeatSaysWhatIsApplied() {
        assertThat(reachability.applied(ids[0])).isEqualTo(number);
        reachability.beat(new Heartbeat(ids[0], 1, number - 1, Set.of(), opinion(ids[0]), number - 1));
        assertThat(reachability.applied(ids[0])).as("one that was overtaken").isEqualTo(number);
        reachability.beat(new Heartbeat(ids[0], 2, number + 1, Set.of(), opinion(ids[0]), number + 1));
        assertThat(reachability.applied(ids[0]))
                .as("one of a process that the log does not know")
                .isEqualTo(number);
    }
}
