package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.Proposal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// The controllers' log: entries in one order, and the controller that may add to it. Commands are delayed, lost and
/// doubled on their way.
///
/// It is not Raft, but what Raft says of itself: the leader of a term is one of a majority that hears each other, and
/// has all that was logged; what a former leader proposed last is logged by the next one, or never.
final class Log {
    /// @param ifVersion the state of which the next one was planned
    /// @param entries that have an effect
    record Proposed(Controller by, long term, int ifVersion, LogState next, List<Entry> entries) {}

    enum Decision {
        LOGGED,

        /// It was planned from another state than the newest.
        OTHER_CAME_FIRST,

        /// A majority does not hear the leader now.
        WAITS,

        /// Another one leads.
        UNKNOWN
    }

    private static final double TICK = 25;

    private final Sim sim;
    LogState state;
    final List<Controller> controllers = new ArrayList<>();
    double busyUntil;

    /// Members that left because the primary did not hear them.
    int cutOffs;

    /// How often another controller became the leader.
    int elections;

    private long term;
    private Optional<Controller> leader = Optional.empty();
    private Optional<Proposed> inFlight = Optional.empty();
    private Optional<Double> silentSince = Optional.empty();
    private double pause;
    private final Map<Integer, Set<String>> takenOff = new HashMap<>();
    private final Map<Entry, Double> recent = new HashMap<>();

    Log(Sim sim, LogState state) {
        this.sim = sim;
        this.state = state;
    }

    void begin() {
        for (int i = 0; i < 3; i++) {
            state.boots.put(i, 1);
        }
        for (int i = 0; i < 3; i++) {
            controllers.add(new Controller(sim, i, state));
        }
        lead(controllers.get(sim.random().nextInt(3)));
        sim.after(TICK, this::watch);
    }

    // -- commands on their way

    /// By an operator.
    void propose(Entry entry) {
        var running = controllers.stream().filter(Controller::runs).toList();
        if (!running.isEmpty()) {
            running.get(sim.random().nextInt(running.size())).receive(entry, true, "", _ -> {});
        }
    }

    /// By a target that needs no answer.
    void propose(Entry entry, Target from) {
        if (sim.now() - recent.getOrDefault(entry, -999.0) >= 100) {
            submit(entry, from, _ -> {});
        }
    }

    void ask(Entry entry, Target who) {
        submit(entry, who, outcome -> who.deliver(node -> node.reply(entry, outcome.incarnation())));
    }

    private void submit(Entry entry, Target from, Consumer<LogPlanner.Outcome> answer) {
        recent.put(entry, sim.now());
        double luck = sim.isQuiet() ? 1 : sim.random().nextDouble();
        int times = luck < .05 ? 2 : luck > .08 ? 1 : 0;
        for (int i = 0; i < times; i++) {
            double late = sim.random().nextDouble() < .03 && !sim.isQuiet() ? sim.uniform(300, 3000) : 0;
            if (late > 0) {
                sim.after(late, () -> route(entry, from, answer));
            } else {
                route(entry, from, answer);
            }
        }
    }

    /// To the controller that leads as far as the target knows, or another one that answers.
    private void route(Entry entry, Target from, Consumer<LogPlanner.Outcome> answer) {
        var order = new ArrayList<>(controllers);
        Collections.shuffle(order, sim.random());
        from.leadership.leader().map(Controller::id).map(controllers::get).ifPresent(known -> {
            order.remove(known);
            order.addFirst(known);
        });
        var network = sim.network();
        for (var to : order) {
            if (to.up && !network.isBlocked(from.id, to.name()) && !network.isBlocked(to.name(), from.id)) {
                Consumer<LogPlanner.Outcome> back =
                        outcome -> network.send(to.name(), from.id, () -> answer.accept(outcome), false);
                network.send(from.id, to.name(), () -> to.deliver(() -> to.receive(entry, true, from.id, back)), false);
                return;
            }
        }
    }

    // -- entries

    /// How long an entry takes to be on a majority.
    double delay() {
        boolean late = sim.random().nextDouble() < .01 && !sim.isQuiet();
        return Math.max(0, busyUntil - sim.now()) + sim.uniform(1, 12) + (late ? sim.uniform(20, 300) : 0);
    }

    void proposed(Proposed one) {
        if (isLeader(one.by(), one.term())) {
            inFlight = Optional.of(one);
        }
    }

    private boolean isLeader(Controller controller, long of) {
        return term == of && leader.filter(now -> now == controller).isPresent();
    }

    Decision decide(Proposed one) {
        if (!isLeader(one.by(), one.term())) {
            return Decision.UNKNOWN;
        }
        if (!isInContact(one.by()) || sim.now() < busyUntil) {
            return Decision.WAITS;
        }
        inFlight = Optional.empty();
        if (one.ifVersion() != state.version) {
            one.by().apply(state);
            return Decision.OTHER_CAME_FIRST;
        }
        if (!one.entries().isEmpty()) {
            add(one, one.by());
        }
        return Decision.LOGGED;
    }

    private void add(Proposed one, Controller by) {
        var before = state;
        state = one.next();
        one.entries().forEach(this::note);
        if (sim.traces()) {
            one.entries().forEach(entry -> sim.trace("log %d %s by %s: %s", state.version, term, by.name(), entry));
            state.slots.forEach((slot, row) -> {
                if (!row.equals(before.row(slot))) {
                    sim.trace(
                            "log %d: slot %d %s, cut %s",
                            state.version, slot, row, by.reachability().pairs());
                }
            });
        }
        replicate(by);
        sim.checks().acknowledgedIsKept();
    }

    private void note(Entry entry) {
        switch (entry) {
            case Entry.OfSlot(int slot, Proposal.Expel expel) -> sim.checks().removed(slot, expel.drive());
            case Entry.OfSlot(int slot, Proposal.TakeOff off) ->
                takenOff.computeIfAbsent(slot, _ -> new HashSet<>()).add(off.drive());
            case Entry.CutOff off -> {
                cutOffs++;
                takenOff.computeIfAbsent(off.slot(), _ -> new HashSet<>()).add(off.leaving());
                sim.checks().removed(off.slot(), off.primary());
            }
            case Entry.Mute mute -> sim.checks().muted(mute.target());
            default -> {}
        }
    }

    /// One at least of those that the leader hears has stored it.
    private void replicate(Controller by) {
        by.stored = state.version;
        var others = new ArrayList<>(controllers.stream()
                .filter(other -> other != by && hear(by, other))
                .toList());
        Collections.shuffle(others, sim.random());
        for (int i = 0; i < others.size(); i++) {
            if (i == 0 || sim.random().nextDouble() < .9) {
                others.get(i).stored = state.version;
            }
        }
        by.apply(state);
        others.forEach(other -> tell(by, other, sim.random().nextDouble() < .9 ? 0 : sim.uniform(20, 400)));
    }

    private void tell(Controller by, Controller other, double delay) {
        var next = state;
        sim.after(delay, () -> by.send(other, () -> other.apply(next)));
    }

    /// Drives that were taken off a slot.
    Set<String> takenOff(int slot) {
        return takenOff.getOrDefault(slot, Set.of());
    }

    // -- who leads

    Optional<Controller> leader() {
        return leader;
    }

    private boolean hear(Controller one, Controller other) {
        var network = sim.network();
        return one.runs()
                && other.runs()
                && !network.isBlocked(one.name(), other.name())
                && !network.isBlocked(other.name(), one.name());
    }

    /// Whether it and one other hear each other: they are a majority.
    boolean isInContact(Controller one) {
        return controllers.stream().anyMatch(other -> other != one && hear(one, other));
    }

    /// It leads no longer.
    void left(Controller controller) {
        if (leader.filter(now -> now == controller).isPresent()) {
            leader = Optional.empty();
        }
    }

    private void watch() {
        if (leader.filter(this::isInContact).isPresent()) {
            silentSince = Optional.empty();
        } else if (silentSince.isEmpty()) {
            silentSince = Optional.of(sim.now());
            pause = sim.uniform(300, 1500);
        } else if (sim.now() - silentSince.get() >= pause) {
            elect();
        }
        sim.after(TICK, this::watch);
    }

    private void elect() {
        var able = controllers.stream()
                .filter(each -> isInContact(each) && each.stored == state.version)
                .toList();
        if (able.isEmpty()) {
            return;
        }
        var next = able.get(sim.random().nextInt(able.size()));
        elections++;
        lead(next);
    }

    private void lead(Controller next) {
        term++;
        leader = Optional.of(next);
        silentSince = Optional.empty();
        next.elected(term);
        var last = inFlight.filter(one -> one.ifVersion() == state.version
                && !one.entries().isEmpty()
                && sim.random().nextBoolean());
        inFlight = Optional.empty();
        last.ifPresent(one -> add(one, next));
    }

    void tick() {
        leader.filter(Controller::runs)
                .ifPresent(now -> controllers.stream()
                        .filter(other -> other != now && hear(now, other))
                        .forEach(other -> {
                            other.stored = state.version;
                            if (other.state.version < state.version
                                    && sim.random().nextDouble() < .3) {
                                tell(now, other, 0);
                            }
                        }));
        leader.filter(now -> now.state.version < state.version && sim.random().nextDouble() < .2)
                .ifPresent(now -> now.deliver(() -> now.apply(state)));
    }

    Set<Integer> slots() {
        return state.slots.keySet();
    }
}
