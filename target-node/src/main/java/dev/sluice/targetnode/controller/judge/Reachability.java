package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.planning.UnreachablePair;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which targets hear each other, by their newest beats, as one controller received them.
///
/// An opinion is whom a target heard by a beat of the last second. Who has just begun or stood still has none, nor has
/// one that is down or muted. Heard by few is a target that fewer than half of the others with an opinion hear, where
/// they are two at least: of two targets nobody can say which one is cut off.
///
/// It has no thread and waits for nothing.
public final class Reachability {
    public static final Duration FRESH = Duration.ofSeconds(1);
    public static final int LEAST_OPINIONS = 2;

    /// A request to have a member leave is void so long after the beat that it names.
    private static final Duration REQUEST = Duration.ofMillis(1500);

    /// Who was silent for so long begins again.
    private static final Duration GAP = Duration.ofMillis(600);

    /// The same where it is asked who hears whom. No promise lapses before, so between the two nobody would help those
    /// that wait for a target which beats now and then.
    private static final Duration LONG_GAP = Leases.PROMISE;

    /// Who begins has to beat for so long before it is muted: the others have to hear it first.
    private static final Duration STEADY = Duration.ofMillis(700);

    /// Who begins is heard by the others after so long, where nothing is cut.
    private static final Duration TO_BE_HEARD = Duration.ofMillis(1200);

    /// Who is muted again so soon after it was not has to beat longer than at first: slots change each time.
    private static final Duration RELAPSE = Duration.ofSeconds(15);

    private static final Duration RECOVERED = Duration.ofSeconds(3);

    private record Received(long number, long at) {}

    private static final class Beats {
        private final int incarnation;
        private final ArrayDeque<Received> received = new ArrayDeque<>();
        private Heartbeat newest;
        private long at;
        private long since;
        private long sinceLongGap;

        Beats(Heartbeat first, long now) {
            incarnation = first.incarnation();
            newest = first;
            at = now;
            since = now;
            sinceLongGap = now;
        }

        void add(Heartbeat beat, long now) {
            received.removeIf(each -> now - each.at() > REQUEST.toNanos());
            if (received.stream().anyMatch(each -> each.number() == beat.number())) {
                return; // it came twice
            }
            since = now - at > GAP.toNanos() ? now : since;
            sinceLongGap = now - at > LONG_GAP.toNanos() ? now : sinceLongGap;
            if (beat.number() >= newest.number()) { // else it was overtaken
                newest = beat;
                at = now;
            }
            received.addLast(new Received(beat.number(), now));
        }
    }

    private final NanoClock clock;
    private final long fresh;
    private final int leastOpinions;
    private final Map<NodeId, Beats> beats = new HashMap<>();
    private SortedMap<NodeId, TargetEntry> targets = new TreeMap<>();
    private final Map<NodeId, Long> unmuted = new HashMap<>();
    private Set<UnreachablePair> seen = Set.of();

    public Reachability(NanoClock clock) {
        this(clock, FRESH, LEAST_OPINIONS);
    }

    /// @param fresh how old an opinion may be
    /// @param leastOpinions how many others have to have one before somebody is heard by few
    public Reachability(NanoClock clock, Duration fresh, int leastOpinions) {
        this.clock = clock;
        this.fresh = fresh.toNanos();
        this.leastOpinions = leastOpinions;
    }

    /// This controller has applied a newer state, which says this of the targets.
    public synchronized void follow(SortedMap<NodeId, TargetEntry> now) {
        now.forEach((target, entry) -> {
            var before = targets.get(target);
            if (before != null && before.muted() && !entry.muted()) {
                unmuted.put(target, clock.nanos());
            }
        });
        targets = now;
    }

    /// A beat has come. It counts when it is of the current process of the target.
    public synchronized void beat(Heartbeat beat) {
        var entry = targets.get(beat.target());
        if (entry != null && entry.incarnation() == beat.incarnation()) {
            long now = clock.nanos();
            var known = beats.get(beat.target());
            if (known == null || known.incarnation != beat.incarnation()) {
                known = new Beats(beat, now);
                beats.put(beat.target(), known);
            }
            known.add(beat, now);
        }
    }

    /// Whom it heard; empty when it does not say.
    private Optional<Set<NodeId>> opinion(NodeId target) {
        return newest(target).filter(each -> clock.nanos() - each.at < fresh).flatMap(each -> each.newest.heard());
    }

    private Optional<Beats> newest(NodeId target) {
        var known = beats.get(target);
        var entry = targets.get(target);
        return known == null || entry == null || known.incarnation != entry.incarnation()
                ? Optional.empty()
                : Optional.of(known);
    }

    private Map<NodeId, Set<NodeId>> opinions() {
        var opinions = new HashMap<NodeId, Set<NodeId>>();
        targets.forEach((target, entry) -> {
            if (entry.up() && !entry.muted()) {
                opinion(target).ifPresent(heard -> opinions.put(target, heard));
            }
        });
        return opinions;
    }

    private static int others(NodeId target, Map<NodeId, Set<NodeId>> opinions) {
        return opinions.size() - (opinions.containsKey(target) ? 1 : 0);
    }

    private static int heardBy(NodeId target, Map<NodeId, Set<NodeId>> opinions) {
        int count = 0;
        for (var opinion : opinions.entrySet()) {
            count += !opinion.getKey().equals(target) && opinion.getValue().contains(target) ? 1 : 0;
        }
        return count;
    }

    private boolean isHeardByFew(NodeId target, Map<NodeId, Set<NodeId>> opinions) {
        int others = others(target, opinions);
        return heardBy(target, opinions) * 2 < others && others >= leastOpinions;
    }

    public synchronized boolean isHeardByFew(NodeId target) {
        return isHeardByFew(target, opinions());
    }

    /// Those that are to be muted, the one first that is heard by the fewest. Only one is muted by one entry of the
    /// log: without its opinion the others may be heard by enough.
    public synchronized List<NodeId> toMute() {
        var opinions = opinions();
        return opinions.keySet().stream()
                .filter(target -> isHeardByFew(target, opinions) && isSteady(target))
                .sorted(Comparator.comparingInt((NodeId target) -> heardBy(target, opinions))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /// Who no longer beats is not judged: its promise lapses.
    private boolean isSteady(NodeId target) {
        return newest(target)
                .filter(each -> each.at - each.since > STEADY.toNanos() && clock.nanos() - each.at < fresh / 2)
                .isPresent();
    }

    /// Those muted that hear, and are heard by, half of the others. Not before the others had time to say so, as after
    /// the controller's start.
    public synchronized List<NodeId> toUnmute() {
        var opinions = opinions();
        return targets.entrySet().stream()
                .filter(target -> target.getValue().muted())
                .map(Map.Entry::getKey)
                .filter(target -> hasRecovered(target) && !isHeardByFew(target, opinions))
                .filter(target -> opinion(target)
                        .filter(heard -> heard.size() * 2 >= others(target, opinions))
                        .isPresent())
                .toList();
    }

    private boolean hasRecovered(NodeId target) {
        long now = clock.nanos();
        boolean relapsed = unmuted.containsKey(target) && now - unmuted.get(target) < RELAPSE.toNanos();
        var steady = relapsed ? RECOVERED : TO_BE_HEARD;
        return newest(target)
                .filter(each -> each.at - each.since > steady.toNanos() && now - each.at < fresh)
                .isPresent();
    }

    /// The pairs of which one says that it does not hear the other, though that one beats, and has for long enough to
    /// be heard.
    public synchronized Set<UnreachablePair> pairs() {
        var beating = targets.keySet().stream().filter(this::isHeardHere).toList();
        var pairs = new HashSet<UnreachablePair>();
        for (var target : beating) {
            opinion(target)
                    .ifPresent(heard -> beating.stream()
                            .filter(other -> !other.equals(target) && !heard.contains(other))
                            .forEach(other -> pairs.add(UnreachablePair.of(target, other))));
        }
        return pairs;
    }

    private boolean isUpOrMuted(NodeId target) {
        var entry = targets.get(target);
        return entry != null && (entry.up() || entry.muted());
    }

    private boolean isHeardHere(NodeId target) {
        return newest(target)
                .filter(_ -> isUpOrMuted(target))
                .filter(each -> each.at - each.sinceLongGap > TO_BE_HEARD.toNanos() && clock.nanos() - each.at < fresh)
                .isPresent();
    }

    /// Whether a pair that was cut at the last call hears each other again.
    public synchronized boolean someHearAgain() {
        var now = pairs();
        boolean healed = !now.containsAll(seen);
        seen = now;
        return healed;
    }

    /// Whether this beat of a target came within the last 1.5 s.
    public synchronized boolean hasJustBeaten(NodeId target, int incarnation, long number) {
        long now = clock.nanos();
        return newest(target)
                .filter(each -> each.incarnation == incarnation)
                .filter(each -> each.received.stream()
                        .anyMatch(one -> one.number() == number && now - one.at() <= REQUEST.toNanos()))
                .isPresent();
    }

    /// The version of the state that all drives of a target have applied, by its newest beat; -1 when it does not say.
    public synchronized long applied(NodeId target) {
        return newest(target).map(each -> each.newest.applied()).orElse(-1L);
    }
}
