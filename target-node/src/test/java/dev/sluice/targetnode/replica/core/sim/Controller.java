package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.Beat;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.Hearing;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A controller: it promises leases, and reports promises that lapsed.
final class Controller {
    static final double PROMISE = 1100;

    private final Sim sim;
    final int id;
    private final double rate;
    boolean up = true;
    int boot;
    private boolean ready = true;
    LogState state;
    private final Map<String, Double> promises = new HashMap<>();
    private final Map<String, Integer> stopped = new HashMap<>();
    private double grace = PROMISE;
    private Hearing hearing;

    Controller(Sim sim, int id, LogState state) {
        this.sim = sim;
        this.id = id;
        this.rate = sim.uniform(0.965, 1.035);
        this.state = state;
        state.up.keySet().forEach(target -> promises.put(target, PROMISE));
        hearing = newHearing();
    }

    String name() {
        return "c" + id;
    }

    private Hearing newHearing() {
        var made = new Hearing(
                () -> (long) (clock() * 1e6),
                sim.breaks("x_stale") ? Duration.ofHours(1) : Hearing.FRESH,
                sim.breaks("x_two") ? 1 : Hearing.LEAST_OPINIONS);
        made.follow(state.targets());
        return made;
    }

    Hearing hearing() {
        return hearing;
    }

    private double clock() {
        return sim.now() * rate;
    }

    /// After an entry about a target promising begins again, with one whole promise of patience.
    void apply(LogState newer) {
        if (newer.version <= state.version) {
            return;
        }
        newer.entry.forEach((target, version) -> {
            if (!version.equals(state.entry.get(target)) && !sim.breaks("w_flap")) {
                promises.merge(target, clock() + PROMISE, Math::max);
            }
        });
        stopped.entrySet().removeIf(stop -> !stop.getValue().equals(newer.entry.get(stop.getKey())));
        state = newer;
        hearing.follow(state.targets());
        if (state.boots.getOrDefault(id, 0) == boot) {
            ready = true;
        }
    }

    void restart() {
        up = true;
        boot++;
        promises.clear();
        stopped.clear();
        grace = clock() + PROMISE;
        ready = sim.breaks("w_ctl");
        hearing = newHearing();
    }

    void beat(String target, int incarnation, int beat, Optional<Set<NodeId>> heard, int applied) {
        if (!up) {
            return;
        }
        hearing.beat(new Beat(ProductionPlanner.node(target), incarnation, beat, Set.of(), heard, applied));
        boolean current = state.incarnation.getOrDefault(target, 0) == incarnation;
        boolean promised = current
                && state.isUp(target)
                && !stopped.containsKey(target)
                && !state.muted.contains(target)
                && ready
                && (clock() >= grace || boot == 0);
        if (current && !state.isUp(target)) {
            sim.log().propose(new Entry.Up(target, incarnation));
        }
        if (promised) {
            promises.put(target, clock() + PROMISE);
        }
        var known = state;
        boolean whole = sim.random().nextDouble() < .8;
        sim.network().toTarget(name(), target, node -> {
            if (whole) {
                node.apply(known);
            }
            node.beaten(id, beat, promised, known.version);
        });
    }

    boolean isReady() {
        return up && ready;
    }

    void tick() {
        if (!up || !ready) {
            return;
        }
        state.up.forEach((target, isUp) -> {
            if (isUp && Math.max(promises.getOrDefault(target, 0.0), grace) < clock()) {
                if (!sim.breaks("no_stop")) {
                    stopped.putIfAbsent(target, Known.of(state.entry, target));
                }
                sim.log().report(this, target, Known.of(state.entry, target));
            }
        });
    }

    boolean promised(String target) {
        return promises.getOrDefault(target, 0.0) >= clock() && !stopped.containsKey(target);
    }
}
