package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.controller.Hearing;
import dev.sluice.targetnode.replica.core.Proposal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The controllers and their linearizable log. Proposals are delayed, lost and doubled.
final class Log implements LogPlanner.Leader {
    private record About(String target, int entry) {}

    private record Report(int boot, double at) {}

    private final Sim sim;
    LogState state;
    final List<Controller> controllers;
    double busyUntil;

    /// Members that left because the primary did not hear them.
    int cutOffs;

    private final Map<Entry, Double> recent = new HashMap<>();
    private final Map<About, Map<Integer, Report>> reports = new LinkedHashMap<>();
    private final Map<About, Double> firstReport = new HashMap<>();

    Log(Sim sim, LogState state) {
        this.sim = sim;
        this.state = state;
        controllers =
                List.of(new Controller(sim, 0, state), new Controller(sim, 1, state), new Controller(sim, 2, state));
    }

    void propose(Entry entry) {
        if (sim.now() - recent.getOrDefault(entry, -999.0) >= 100) {
            submit(entry, Optional.empty());
        }
    }

    /// By a target that wants an answer.
    void ask(Entry entry, Target who) {
        boolean cut = controllers.stream().anyMatch(c -> sim.network().isBlocked(who.id, c.name()));
        recent.put(entry, sim.now());
        if (!cut || sim.random().nextDouble() >= .5) {
            submit(entry, Optional.of(who));
        }
    }

    private void submit(Entry entry, Optional<Target> who) {
        recent.put(entry, sim.now());
        double luck = sim.isQuiet() ? 1 : sim.random().nextDouble();
        int times = luck < .05 ? 2 : luck > .08 ? 1 : 0;
        for (int i = 0; i < times; i++) {
            double late = sim.random().nextDouble() < .03 && !sim.isQuiet() ? sim.uniform(300, 3000) : 0;
            sim.after(Math.max(0, busyUntil - sim.now()) + sim.uniform(1, 12) + late, () -> append(entry, who));
        }
    }

    private void append(Entry entry, Optional<Target> who) {
        var before = state;
        var outcome = sim.production()
                ? ProductionPlanner.plan(state, entry, this, sim.broken())
                : LogPlanner.plan(state, entry, this, sim.broken());
        if (outcome.next().isPresent()) {
            state = outcome.next().get();
            switch (entry) {
                case Entry.OfSlot(int slot, Proposal.Expel expel) ->
                    sim.checks().removed(slot, expel.drive());
                case Entry.CutOff off -> {
                    cutOffs++;
                    sim.checks().removed(off.slot(), off.primary());
                }
                case Entry.Mute mute -> sim.checks().muted(mute.target());
                default -> {}
            }
            if (sim.traces()) {
                state.slots.forEach((slot, now) -> {
                    if (!now.row().equals(before.row(slot))) {
                        sim.trace(
                                "log %d %s: slot %d %s, cut %s",
                                state.version, entry, slot, now.row(), hearing().pairs());
                    }
                });
            }
            var next = state;
            for (var controller : controllers) {
                double delay = sim.random().nextDouble() < .9 ? sim.uniform(1, 20) : sim.uniform(20, 400);
                sim.after(delay, () -> follow(controller, next));
            }
            sim.checks().acknowledgedIsKept();
        }
        if (who.isPresent() && sim.random().nextDouble() > .05) {
            who.get().after(2, () -> who.get().reply(entry, outcome.incarnation()));
        }
    }

    private void follow(Controller controller, LogState next) {
        if (controller.up) {
            controller.apply(next);
            for (var target : sim.targets()) {
                sim.network().toTarget(controller.name(), target.id, node -> node.apply(next));
            }
        }
    }

    void report(Controller controller, String target, int entry) {
        var about = new About(target, entry);
        var got = reports.computeIfAbsent(about, _ -> new TreeMap<>());
        firstReport.putIfAbsent(about, sim.now());
        got.put(controller.id, new Report(controller.boot, sim.now()));
        var boots = new TreeMap<Integer, Integer>();
        got.forEach((id, report) -> {
            if (sim.now() - report.at() < 1000) {
                boots.put(id, report.boot());
            }
        });
        if (boots.size() * 2 > controllers.size()) {
            propose(new Entry.Down(target, entry, boots));
        } else if (sim.now() - firstReport.get(about) > 800) {
            propose(new Entry.Trust(target, entry));
        }
    }

    void tick() {
        for (var controller : controllers) {
            controller.tick();
            if (controller.up && state.boots.getOrDefault(controller.id, 0) != controller.boot) {
                propose(new Entry.Boot(controller.id, controller.boot));
            }
            if (controller.state.version < state.version
                    && controller.up
                    && sim.random().nextDouble() < .2) {
                follow(controller, state);
            }
        }
        judge();
        if (sim.random().nextDouble() < .3) {
            propose(new Entry.Fill());
        }
    }

    /// As the controller that leads does: who is heard by too few is muted, one after the other; and nobody has to ask
    /// those who have applied everything.
    private void judge() {
        var leader = leader();
        if (!leader.isReady() || sim.now() < busyUntil) {
            return;
        }
        var known = leader.state;
        var mute =
                leader.hearing().toMute().stream().map(ProductionPlanner::name).toList();
        mute.stream()
                .limit(sim.breaks("x_all") ? 9 : 1)
                .forEach(target ->
                        propose(new Entry.Mute(target, Known.of(known.entry, target), Set.copyOf(known.muted))));
        leader.hearing().toUnmute().stream()
                .map(ProductionPlanner::name)
                .forEach(target -> propose(new Entry.Unmute(target, Known.of(known.entry, target))));
        if (sim.breaks("x_fencebeat")) {
            return;
        }
        var cut = leader.hearing().pairs();
        known.incarnation.forEach((target, incarnation) -> {
            var node = ProductionPlanner.node(target);
            boolean fenced = known.slots.values().stream()
                    .flatMap(slot -> slot.row().fence().stream())
                    .anyMatch(drive -> LogState.where(drive).equals(target));
            if (fenced
                    && cut.stream().anyMatch(pair -> pair.has(node))
                    && leader.hearing().applied(node) == known.version) {
                propose(new Entry.Fenced(target, incarnation, known.version));
            }
        });
    }

    private Controller leader() {
        return controllers.stream()
                .filter(controller -> controller.up)
                .findFirst()
                .orElse(controllers.getFirst());
    }

    @Override
    public boolean leased(String drive, LogState at) {
        var target = LogState.where(drive);
        return at.isUp(target) && leader().promised(target);
    }

    @Override
    public Hearing hearing() {
        return leader().hearing();
    }

    @Override
    public int id() {
        return leader().id;
    }

    @Override
    public double now() {
        return sim.now();
    }

    Set<Integer> slots() {
        return state.slots.keySet();
    }
}
