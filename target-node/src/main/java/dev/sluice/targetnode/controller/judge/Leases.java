package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What one life of a controller has promised to the targets: to say nothing against them for 1.1 s.
///
/// A promise is given to the current incarnation of a target that is up in this controller's log, and not muted. When
/// it lapses, the
/// controller reports the target and promises it nothing until it has applied a later entry about it. After such an
/// entry the target has one whole promise to beat in before it is judged. A controller promises nothing until its own
/// boot number is in the log and 1.1 s have passed: what its life before promised has lapsed then. It reports nothing
/// for another 1.1 s, in which the targets beat to this life. Time in which the controller stood still does not count.
///
/// It has no thread and waits for nothing.
public final class Leases {
    public static final Duration PROMISE = Duration.ofMillis(1100);

    private final NanoClock clock;
    private final NodeId self;
    private final long begin;
    private final Map<NodeId, Long> until = new HashMap<>();

    /// When a target was promised something last, or an entry about it was applied.
    private final Map<NodeId, Long> heard = new HashMap<>();

    private final LateLooks lateLooks = new LateLooks();

    private final Map<NodeId, Long> reported = new HashMap<>();
    private Replication known = Replication.NONE;
    private long version = -1;
    private int boot;
    private boolean recorded;

    /// Before this nobody is reported: since the log has the boot number the targets had time to beat.
    private long judging = Long.MAX_VALUE;

    public Leases(NanoClock clock, NodeId self) {
        this.clock = clock;
        this.self = self;
        this.begin = clock.nanos() + PROMISE.toNanos();
    }

    /// @param number that this life of the controller writes to the log, or has written
    public synchronized void boots(int number) {
        boot = number;
        record();
    }

    private void record() {
        if (!recorded && boot > 0 && known.controllers().getOrDefault(self, 0) == boot) {
            recorded = true;
            judging = Math.max(begin, clock.nanos()) + PROMISE.toNanos();
        }
    }

    /// This life's boot number; 0 while the log has none.
    public synchronized int boot() {
        return recorded ? boot : 0;
    }

    /// This controller has applied a newer state.
    public synchronized void follow(ClusterState state) {
        boolean first = version < 0;
        long patience = clock.nanos() + PROMISE.toNanos();
        state.replication().targets().forEach((target, entry) -> {
            if (!first && entryVersion(target) != entry.version()) {
                until.merge(target, patience, Math::max);
                heard.put(target, clock.nanos());
            }
        });
        known = state.replication();
        version = state.version();
        reported.entrySet().removeIf(report -> entryVersion(report.getKey()) != report.getValue());
        record();
    }

    private long entryVersion(NodeId target) {
        return known.target(target).map(TargetEntry::version).orElse(0L);
    }

    /// @param leadership what the answer is to say of it
    public synchronized HeartbeatAnswer beat(NodeId target, int incarnation, Leadership leadership) {
        long now = clock.nanos();
        if (!target.equals(self)) { // which comes by no connection: it says nothing of what lies unread
            lateLooks.beat(target, now);
        }
        boolean promised = recorded
                && now >= begin
                && known.target(target)
                        .filter(entry -> entry.up() && !entry.muted() && entry.incarnation() == incarnation)
                        .isPresent()
                && !reported.containsKey(target);
        if (promised) {
            until.put(target, now + PROMISE.toNanos());
            heard.put(target, now);
        }
        return new HeartbeatAnswer(self, promised, version, leadership);
    }

    /// The controller stood still for a while: beats that came meanwhile may not have been read yet. Each target is
    /// judged so much later, unless beats of another one show that they were. What was promised does not change.
    public synchronized void stoodStill(Duration time) {
        if (time.isPositive()) {
            lateLooks.late(clock.nanos(), time);
        }
    }

    /// Whether the log says that this process is down, and may be up again.
    public synchronized boolean isDown(NodeId target, int incarnation) {
        return known.target(target)
                .filter(entry -> !entry.up() && !entry.muted() && entry.incarnation() == incarnation)
                .isPresent();
    }

    /// The targets that are up in the log and whose promise has lapsed, with the versions of their entries. From now on
    /// they are promised nothing, until there is a later entry about them.
    public synchronized SortedMap<NodeId, Long> lapsed() {
        long now = clock.nanos();
        var lapsed = new TreeMap<NodeId, Long>();
        if (recorded) {
            known.targets().forEach((target, entry) -> {
                if (entry.up() && judged(target) < now) {
                    reported.putIfAbsent(target, entry.version());
                    lapsed.put(target, entry.version());
                }
            });
        }
        return lapsed;
    }

    /// What has lapsed and was not answered by an entry yet.
    public synchronized SortedMap<NodeId, Long> reported() {
        return new TreeMap<>(reported);
    }

    private long judged(NodeId target) {
        return Math.max(until.getOrDefault(target, judging), judging)
                + lateLooks.since(heard.getOrDefault(target, Long.MIN_VALUE));
    }

    /// When [#lapsed] may have somebody new to name; at most the given time from now.
    public synchronized Duration untilNextLapse(Duration most) {
        long now = clock.nanos();
        long next = most.toNanos();
        for (var target : known.targets().entrySet()) {
            if (recorded && target.getValue().up() && !reported.containsKey(target.getKey())) {
                next = Math.min(next, 1 + judged(target.getKey()) - now);
            }
        }
        return Duration.ofNanos(Math.max(0, next));
    }

    /// Whether the target may hold a lease by a promise of this life.
    public synchronized boolean leased(NodeId target) {
        return known.target(target).filter(TargetEntry::up).isPresent()
                && until.containsKey(target)
                && until.get(target) >= clock.nanos()
                && !reported.containsKey(target);
    }
}
