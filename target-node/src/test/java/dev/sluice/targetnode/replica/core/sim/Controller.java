package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.controller.judge.ControllerStatus;
import dev.sluice.targetnode.controller.judge.Leases;
import dev.sluice.targetnode.controller.judge.Reachability;
import dev.sluice.targetnode.controller.judge.Reports;
import dev.sluice.targetnode.controller.log.LogServer;
import dev.sluice.targetnode.replica.core.Proposal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A controller: it promises leases, and reports promises that lapsed. While it leads, or thinks so, it judges the
/// targets by what the others say too, and plans commands.
final class Controller implements LogPlanner.Leader {
    static final double PROMISE = Leases.PROMISE.toMillis();

    private static final double TICK = 100;
    private static final double WORD = 200;
    private static final double AVOIDED = 2000;
    private static final double ONE_CUT_OFF_IN = 5000;

    /// How long ago a target that is down has beaten, when it counts as back.
    private static final double BACK = 600;

    /// How long words count.
    private static final double FRESH = 1000;

    private static final double FORMER = 3000;

    private record Returned(int incarnation, double at) {}

    private record Place(int slot, String drive) {}

    private record Said(NodeId target, long version, double at) {}

    private final Sim sim;
    final int id;
    private final String name;
    private final double rate;
    private double notYet;
    boolean up = true;
    boolean frozen;
    private int life;
    private final List<Runnable> backlog = new ArrayList<>();

    /// What its drives have of the log, and what it has applied.
    int stored;

    LogState state;

    // of this life
    private Leases leases;
    private Leases unstopped;
    private Reports reports;
    private Reachability reachability;
    private CommandQueue commands;
    private Leadership leadership;
    private boolean leads;
    private double inContact;
    private double patience;
    private double due;
    private int judged;
    private int begun;
    private final Map<String, Returned> returned = new TreeMap<>();
    private final Map<Place, Double> avoided = new HashMap<>();
    private final Map<Integer, Double> cutOffs = new HashMap<>();
    private final Map<String, Double> promised = new TreeMap<>();
    private final Map<NodeId, List<Said>> said = new HashMap<>();
    private final Map<NodeId, ControllerStatus> words = new TreeMap<>();

    /// One that has been up for a while, and has its boot number in the log.
    Controller(Sim sim, int id, LogState state) {
        this.sim = sim;
        this.id = id;
        this.name = "c" + id;
        this.rate = sim.uniform(0.965, 1.035);
        this.state = state;
        this.stored = state.version;
        notYet = PROMISE;
        leases = new Leases(nanos(), node());
        unstopped = new Leases(nanos(), node());
        reports = newReports();
        reachability = newHearing();
        commands = new CommandQueue(sim, this);
        leadership = Leadership.UNKNOWN;
        boots(1);
        follow();
        notYet = 0;
        begins();
    }

    String name() {
        return name;
    }

    NodeId node() {
        return ProductionPlanner.node(name);
    }

    static int id(NodeId controller) {
        return Integer.parseInt(ProductionPlanner.name(controller).substring(1));
    }

    private Reachability newHearing() {
        return new Reachability(
                nanos(),
                sim.breaks("x_stale") ? Duration.ofHours(1) : Reachability.FRESH,
                sim.breaks("x_two") ? 1 : Reachability.LEAST_OPINIONS);
    }

    private Reports newReports() {
        return new Reports(nanos(), sim.breaks("minority") ? 1 : 3);
    }

    private double clock() {
        return sim.now() * rate - notYet;
    }

    private NanoClock nanos() {
        return () -> (long) (clock() * 1e6);
    }

    private static Duration span(double millis) {
        return Duration.ofNanos((long) (millis * 1e6));
    }

    // -- process life

    private void begins() {
        due = clock();
        inContact = clock();
        after(sim.uniform(1, TICK), this::judge);
        after(sim.uniform(1, WORD), this::speak);
    }

    void stop() {
        up = false;
        frozen = false;
        backlog.clear();
        life++;
        leads = false;
        sim.log().left(this);
        sim.trace("%s is down", name());
    }

    void restart() {
        if (up) {
            return;
        }
        up = true;
        life++;
        leases = new Leases(nanos(), node());
        unstopped = new Leases(nanos(), node());
        reports = newReports();
        reachability = newHearing();
        commands = new CommandQueue(sim, this);
        leadership = Leadership.UNKNOWN;
        returned.clear();
        avoided.clear();
        cutOffs.clear();
        promised.clear();
        said.clear();
        words.clear();
        follow();
        begins();
        begin();
        sim.trace("%s is up again", name());
    }

    /// Goes on later with what it knew.
    void freeze(double time) {
        if (!up || frozen) {
            return;
        }
        frozen = true;
        int of = life;
        sim.after(time, () -> {
            if (life == of) {
                thaw();
            }
        });
    }

    void thaw() {
        if (frozen) {
            frozen = false;
            var tasks = List.copyOf(backlog);
            backlog.clear();
            for (int i = 0; i < tasks.size(); i++) {
                after(i * .01, tasks.get(i));
            }
        }
    }

    boolean runs() {
        return up && !frozen;
    }

    void after(double delay, Runnable task) {
        int of = life;
        sim.after(delay, () -> {
            if (up && life == of) {
                run(task);
            }
        });
    }

    void deliver(Runnable message) {
        if (up) {
            run(message);
        }
    }

    private void run(Runnable task) {
        if (frozen) {
            backlog.add(task);
        } else {
            task.run();
        }
    }

    void send(Controller other, Runnable message) {
        sim.network().send(name(), other.name(), () -> other.deliver(message), false);
    }

    // -- its boot number

    private void begin() {
        if (leases.boot() > 0) {
            return;
        }
        int attempt = ++begun;
        receive(
                new Entry.LastBoot(id),
                true,
                "",
                last -> last.incarnation().ifPresent(number -> {
                    if (attempt == begun) {
                        int mine = number + 1;
                        receive(new Entry.Boot(id, mine), true, "", _ -> {
                            if (attempt == begun) {
                                boots(mine);
                            }
                        });
                    }
                }));
        after(sim.uniform(300, 600), this::begin);
    }

    private void boots(int number) {
        leases.boots(number);
        unstopped.boots(number);
    }

    // -- the log

    void apply(LogState newer) {
        if (newer.version > state.version) {
            state = newer;
            follow();
            for (var target : sim.targets()) {
                sim.network().toTarget(name(), target.id, node -> node.apply(newer));
            }
        }
    }

    private void follow() {
        var cluster = ProductionPlanner.known(state);
        leases.follow(cluster);
        unstopped.follow(cluster);
        reachability.follow(cluster.replication().targets());
    }

    // -- who leads

    boolean leads() {
        return leads;
    }

    long term() {
        return leadership.term();
    }

    void elected(long term) {
        sim.trace("%s leads in term %d", name(), term);
        leadership = new Leadership(term, Optional.of(node()));
        leads = true;
        inContact = clock();
        patience = sim.uniform(300, 1500);
        tell();
    }

    private void stepDown() {
        if (leads) {
            sim.trace("%s leads no longer", name());
            leads = false;
            leadership = new Leadership(leadership.term(), Optional.empty());
            sim.log().left(this);
            commands.drop();
        }
    }

    private LogServer seat() {
        return new LogServer(
                Optional.empty(),
                Optional.empty(),
                LogServer.Holding.SOME,
                leadership.leader(),
                Math.max(0, leadership.term()),
                leads);
    }

    /// Who hears nobody any more leads no longer.
    private void watchContact() {
        if (sim.log().isInContact(this)) {
            inContact = clock();
        } else if (leads && clock() - inContact > patience) {
            stepDown();
        }
    }

    // -- targets

    void beat(String target, int incarnation, int number, Optional<Set<NodeId>> heard, int applied) {
        var node = ProductionPlanner.node(target);
        reachability.beat(new Heartbeat(node, incarnation, number, Set.of(), heard, applied));
        var beaten = (sim.breaks("no_stop") ? unstopped : leases).beat(node, incarnation, leadership);
        if (leases.isDown(node, incarnation)) {
            returned.put(target, new Returned(incarnation, clock()));
        }
        if (beaten.promised()) {
            promised.put(target, clock() + PROMISE);
        }
        var known = state;
        boolean whole = sim.random().nextDouble() < .8;
        sim.network().toTarget(name(), target, to -> {
            if (whole) {
                to.apply(known);
            }
            to.beaten(number, beaten);
        });
    }

    @Override
    public boolean leased(String drive, LogState at) {
        var target = LogState.where(drive);
        return at.isUp(target) && leases.leased(ProductionPlanner.node(target));
    }

    @Override
    public Reachability reachability() {
        return reachability;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public boolean avoids(int slot, String drive) {
        return avoided.getOrDefault(new Place(slot, drive), -9999.0) >= clock();
    }

    @Override
    public boolean wasCutOff(int slot) {
        return clock() - cutOffs.getOrDefault(slot, -9999.0) <= ONE_CUT_OFF_IN;
    }

    /// A command of its own took effect.
    void made(Entry entry) {
        switch (entry) {
            case Entry.OfSlot(int slot, Proposal.TakeOff off) ->
                avoided.put(new Place(slot, off.drive()), clock() + AVOIDED);
            case Entry.CutOff off -> {
                avoided.put(new Place(off.slot(), off.leaving()), clock() + AVOIDED);
                cutOffs.put(off.slot(), clock());
            }
            default -> {}
        }
    }

    // -- what controllers say to each other

    private void speak() {
        tell();
        after(WORD, this::speak);
    }

    private void tell() {
        var word = word();
        for (var other : sim.log().controllers) {
            if (other != this) {
                send(other, () -> other.hear(word));
            }
        }
    }

    private ControllerStatus word() {
        var back = new TreeMap<NodeId, Integer>();
        returned.entrySet()
                .removeIf(one -> clock() - one.getValue().at() > BACK
                        || !leases.isDown(
                                ProductionPlanner.node(one.getKey()),
                                one.getValue().incarnation()));
        returned.forEach((target, one) -> back.put(ProductionPlanner.node(target), one.incarnation()));
        return new ControllerStatus(node(), 0, seat(), leases.boot(), lapsed(), back);
    }

    private SortedMap<NodeId, Long> lapsed() {
        var lapsed = leases.reported();
        if (sim.breaks("w_flap")) { // an entry about the target gives it no time
            state.up.forEach((target, isUp) -> {
                if (isUp && promised.getOrDefault(target, 0.0) < clock()) {
                    lapsed.put(ProductionPlanner.node(target), (long) Known.of(state.entry, target));
                }
            });
        }
        return lapsed;
    }

    private void hear(ControllerStatus word) {
        var theirs = new Leadership(word.seat().term(), word.seat().leader());
        if (theirs.term() > leadership.term()) {
            stepDown();
        }
        leadership = leadership.or(theirs);
        words.put(word.controller(), word);
        var known = said.computeIfAbsent(word.controller(), _ -> new ArrayList<>());
        known.removeIf(one -> clock() - one.at() > (sim.breaks("former_life") ? FORMER : FRESH));
        word.lapsed().forEach((target, version) -> known.add(new Said(target, version, clock())));
        reports.heard(broken(word));
    }

    /// Broken rules count what a former life of a controller said, or what was said of an older entry about a target.
    private ControllerStatus broken(ControllerStatus word) {
        var known = said.getOrDefault(word.controller(), List.of());
        var lapsed = new TreeMap<>(word.lapsed());
        int boot = word.boot();
        if (sim.breaks("former_life")) {
            known.forEach(one -> lapsed.put(one.target(), one.version()));
            boot = state.boots.getOrDefault(id(word.controller()), 0);
        }
        if (sim.breaks("any_version")) {
            known.forEach(one ->
                    lapsed.put(one.target(), (long) state.entry.getOrDefault(ProductionPlanner.name(one.target()), 0)));
        }
        return new ControllerStatus(word.controller(), word.number(), word.seat(), boot, lapsed, word.returned());
    }

    // -- commands

    /// @param mayForward whether it has not come from another controller
    /// @param from the target that sent it; empty: a controller
    void receive(Entry entry, boolean mayForward, String from, Consumer<LogPlanner.Outcome> answer) {
        if (leads) {
            commands.add(entry, done -> done.ifPresent(answer));
            return;
        }
        var leader = leadership.leader().map(Controller::id).filter(other -> other != id);
        if (!mayForward || leader.isEmpty()) {
            return;
        }
        var other = sim.log().controllers.get(leader.get());
        if (from.isEmpty() || !sim.breaks("no_forward")) {
            send(
                    other,
                    () -> other.receive(entry, false, from, outcome -> other.send(this, () -> answer.accept(outcome))));
        } else if (!sim.network().isBlocked(from, other.name())) { // it says who leads
            sim.network()
                    .send(
                            from,
                            other.name(),
                            () -> other.deliver(() -> other.receive(entry, false, from, answer)),
                            false);
        }
    }

    // -- judging

    private void judge() {
        watchContact();
        leases.stoodStill(span(clock() - due));
        due = clock();
        var _ = leases.lapsed();
        hear(word());
        var commandsDue = leads ? commandsDue() : List.<Entry>of();
        judged = commandsDue.size();
        if (judged == 0) {
            judgeLater();
        }
        for (var entry : commandsDue) {
            commands.add(entry, _ -> {
                judged--;
                if (judged == 0) {
                    judgeLater();
                }
            });
        }
    }

    private void judgeLater() {
        leases.stoodStill(span(clock() - due));
        double wait = leases.untilNextLapse(span(TICK)).toNanos() / 1e6 + 2;
        wait = returned.isEmpty() ? wait : Math.min(wait, 20);
        due = clock() + wait;
        after(wait / rate, this::judge);
    }

    /// What a leader logs by itself: who is down, up, or trusted again; who is heard by too few is muted, one after the
    /// other; and nobody has to ask those who have applied everything.
    private List<Entry> commandsDue() {
        var entries = new ArrayList<Entry>();
        if (sim.breaks("any_version")) {
            words.values().forEach(word -> reports.heard(broken(word)));
        }
        reports.due(ProductionPlanner.known(state).replication()).forEach(command -> entries.add(entry(command)));
        reachability.toMute().stream()
                .map(ProductionPlanner::name)
                .limit(sim.breaks("x_all") ? 9 : 1)
                .forEach(target ->
                        entries.add(new Entry.Mute(target, Known.of(state.entry, target), Set.copyOf(state.muted))));
        reachability.toUnmute().stream()
                .map(ProductionPlanner::name)
                .forEach(target -> entries.add(new Entry.Unmute(target, Known.of(state.entry, target))));
        if (!sim.breaks("x_fencebeat")) {
            fenced(entries);
        }
        if (sim.random().nextDouble() < .1) {
            entries.add(new Entry.Fill());
        }
        return entries;
    }

    private static Entry entry(Command command) {
        return switch (command) {
            case Command.Down down -> {
                var boots = new TreeMap<Integer, Integer>();
                down.boots().forEach((controller, boot) -> boots.put(id(controller), boot));
                yield new Entry.Down(ProductionPlanner.name(down.target()), (int) down.version(), boots);
            }
            case Command.Trust(var target, long version) ->
                new Entry.Trust(ProductionPlanner.name(target), (int) version);
            case Command.Up(var target, int incarnation) -> new Entry.Up(ProductionPlanner.name(target), incarnation);
            default -> throw new IllegalArgumentException(command.toString());
        };
    }

    private void fenced(List<Entry> entries) {
        var cut = reachability.pairs();
        if (cut.isEmpty()) {
            return;
        }
        state.incarnation.forEach((target, incarnation) -> {
            var node = ProductionPlanner.node(target);
            boolean fenced = state.slots.values().stream()
                    .flatMap(row -> row.fence().stream())
                    .anyMatch(drive -> LogState.where(drive).equals(target));
            if (fenced
                    && cut.stream().anyMatch(pair -> pair.has(node))
                    && reachability.applied(node) == state.version) {
                entries.add(new Entry.Fenced(target, incarnation, state.version));
            }
        });
    }
}
