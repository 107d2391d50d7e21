package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.core.Proposal;
import dev.sluice.targetnode.replica.membership.LeaseGrants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// A target: its process, its lease, the map it has applied. What it does for slots is in {@link Shell}, what it
/// does for clients in {@link Gateway}.
final class Target {
    private static final double BEAT = 250;
    private static final double LEASE = 1000;
    private static final double TICK = 60;

    /// Who is not heard for so long is cut off: later than the verdict on targets.
    private static final double CUT = 2000;

    private static final double LATE = 400;
    private static final double STANDS_STILL = 1000;

    /// How many beats before one a broken rule counts with it.
    private static final int BEATS = 4;

    /// @param version that has to be applied, for a lease by what a majority has promised; empty while none has
    private record SentBeat(double sent, LeaseGrants leases, Optional<Long> version) {
        SentBeat counting(HeartbeatAnswer answer) {
            return new SentBeat(sent, leases, leases.add(answer).or(() -> version));
        }
    }

    /// By a controller that led.
    private record AnsweredBeat(int controller, int number) {}

    final Sim sim;
    final String id;
    final Map<String, Disk> disks = new LinkedHashMap<>();
    private final double rate;
    private boolean up;
    boolean frozen;
    double skew;
    double lag;
    int life;
    private int kernel;
    private final List<Runnable> backlog = new ArrayList<>();

    // of the process
    int incarnation;
    Optional<LogState> view = Optional.empty();
    private final Map<Integer, SentBeat> beats = new TreeMap<>();
    private final Map<String, Double> heard = new HashMap<>();
    private Optional<AnsweredBeat> answered = Optional.empty();

    /// Who leads, as the answers to beats say.
    Leadership leadership = Leadership.UNKNOWN;

    private final Set<String> asking = new HashSet<>();
    private double ticked;
    private double steadySince;

    /// When it asked last that a member leaves.
    double asked = -9999;

    private String nonce = "";
    private Optional<Integer> known = Optional.empty();
    Shell shell;
    Gateway gateway;
    Slices slices;
    private Answers answers;

    Answers answers() {
        return answers;
    }

    Target(Sim sim, String id) {
        this.sim = sim;
        this.id = id;
        this.rate = sim.uniform(0.965, 1.035);
        this.shell = new Shell(this);
        this.gateway = new Gateway(this);
        this.slices = new Slices(this);
        this.answers = new Answers(this);
    }

    boolean isUp() {
        return up;
    }

    boolean isRegistered() {
        return up && incarnation > 0;
    }

    /// Changes with each power cut.
    String bootId() {
        return id + "-boot" + kernel;
    }

    private double clock() {
        return sim.now() * rate + skew;
    }

    // -- process life

    void start(boolean afterPowerCut) {
        if (up) {
            return;
        }
        up = true;
        frozen = false;
        backlog.clear();
        life++;
        incarnation = 0;
        view = Optional.empty();
        beats.clear();
        heard.clear();
        answered = Optional.empty();
        leadership = Leadership.UNKNOWN;
        asking.clear();
        ticked = clock();
        steadySince = clock();
        nonce = nonce(id, life);
        if (afterPowerCut) {
            kernel++;
            disks.values().forEach(disk -> disk.kept = false);
        }
        known = Optional.empty();
        shell = new Shell(this);
        gateway = new Gateway(this);
        slices = new Slices(this);
        answers = new Answers(this);
        for (var disk : disks.values()) {
            disk.unstage();
            disk.forget();
            disk.announced(nonce);
            if (disk.alive && !sim.breaks("recover_unsynced")) {
                disk.store.sync();
            }
        }
        after(5, this::register);
        after(1, this::beat);
        after(TICK, this::tick);
    }

    /// What a process names itself with in its registration.
    static String nonce(String target, int life) {
        return target + "/" + life;
    }

    void add(Disk blank) {
        blank.announced(nonce);
        disks.put(blank.id, blank);
    }

    /// The process closes a drive that failed. It may open it again.
    void leave(Disk disk) {
        sim.trace("%s leaves", disk.id);
        disk.alive = false;
        disk.kept = false;
        disk.life++;
        disk.forget();
        disk.busyUntil = 0;
        disk.unstage();
        disk.announced("");
        shell.forget(disk.id);
        gateway.abandon(disk.id);
    }

    /// It is opened again.
    void comeBack(Disk disk) {
        if (!disk.alive && disks.containsValue(disk)) {
            disk.alive = true;
            if (up) {
                disk.announced("%s, drive %s/%d".formatted(nonce, disk.id, disk.life));
                if (!sim.breaks("recover_unsynced")) {
                    disk.store.sync();
                }
            }
        }
    }

    void stop() {
        up = false;
        life++;
    }

    /// Runs in this life of the process only, and not while it is frozen.
    void after(double delay, Runnable task) {
        int of = life;
        sim.after(delay, () -> {
            if (up && life == of) {
                run(task);
            }
        });
    }

    void deliver(Consumer<Target> message) {
        if (up) {
            run(() -> message.accept(this));
        }
    }

    private void run(Runnable task) {
        if (frozen) {
            backlog.add(task);
        } else {
            task.run();
        }
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

    private void register() {
        if (incarnation > 0) {
            return;
        }
        if (known.isEmpty() && !sim.breaks("w_register")) {
            sim.log().ask(new Entry.Query(id), this);
        } else {
            var alive = new TreeSet<String>();
            var lossy = new TreeSet<String>();
            disks.values().stream().filter(this::isNamed).forEach(disk -> alive.add(disk.id));
            disks.values().stream().filter(disk -> disk.lossy).forEach(disk -> lossy.add(disk.id));
            var kept = new TreeSet<String>();
            disks.values().stream()
                    .filter(disk -> disk.kept || sim.breaks("kept_unmarked"))
                    .forEach(disk -> kept.add(disk.id));
            sim.log().ask(new Entry.Register(id, nonce, known.orElse(0), alive, bootId(), lossy, kept), this);
        }
        after(sim.random().nextBoolean() ? 60 : 400, this::register);
    }

    /// Whether it is named in the registration. One that came back meanwhile is announced by itself.
    private boolean isNamed(Disk disk) {
        return disk.alive && disk.nonce.equals(nonce);
    }

    void reply(Entry entry, Optional<Integer> answer) {
        switch (entry) {
            case Entry.Query _ -> known = answer;
            case Entry.Register register
            when register.nonce().equals(nonce) && incarnation == 0 -> {
                if (answer.isEmpty()) {
                    known = Optional.empty();
                } else {
                    registered(answer.get());
                }
            }
            default -> {}
        }
    }

    void registered(int given) {
        incarnation = given;
        steadySince = clock(); // it asks the others from now on
        if (sim.log().state.replication.isEmpty()) { // else it shows which drives the log has
            disks.values().forEach(disk -> began(disk, given));
        }
        sim.trace("%s registered as %d", id, given);
    }

    private static void began(Disk disk, int given) {
        disk.incarnation = given;
        disk.lossy = false;
        disk.kept = true;
    }

    // -- lease

    private void beat() {
        if (incarnation > 0) {
            int number = beats.size();
            beats.put(
                    number,
                    new SentBeat(clock(), new LeaseGrants(sim.log().controllers.size()), Optional.empty()));
            int as = incarnation;
            var whom = hears(1000).map(Target::nodes);
            int applied = appliedByAll();
            for (var controller : sim.log().controllers) {
                sim.network()
                        .send(
                                id,
                                controller.name(),
                                () -> controller.deliver(() -> controller.beat(id, as, number, whom, applied)),
                                true);
            }
            for (var other : sim.targets()) {
                if (other != this) {
                    sim.network().toTarget(id, other.id, node -> node.pinged(id));
                    answers.ask(other.id);
                }
            }
        }
        after(BEAT, this::beat);
    }

    /// Who answered its pings in the last while; empty when it has just begun or stood still.
    private Optional<Set<String>> hears(double millis) {
        if (clock() - ticked > LATE || clock() - steadySince < millis + 200) {
            return sim.breaks("x_fresh") ? Optional.of(Set.of()) : Optional.empty();
        }
        return Optional.of(heard.entrySet().stream()
                .filter(answer -> sim.now() - answer.getValue() < millis)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet()));
    }

    private static Set<NodeId> nodes(Set<String> names) {
        return names.stream().map(ProductionPlanner::node).collect(Collectors.toSet());
    }

    private void pinged(String from) {
        sim.network().toTarget(id, from, node -> node.heard.put(id, sim.now()));
    }

    void beaten(int number, HeartbeatAnswer beaten) {
        leadership = leadership.or(beaten.leadership());
        if (beaten.leads() && answered.filter(last -> last.number() >= number).isEmpty()) {
            answered = Optional.of(new AnsweredBeat(Controller.id(beaten.controller()), number));
        }
        for (int later = number; later <= number + BEATS; later++) {
            if (beats.containsKey(later) && (later == number || sim.breaks("two_beats"))) {
                beats.computeIfPresent(later, (_, beat) -> beat.counting(beaten));
                renew(Known.of(beats, later));
            }
        }
    }

    /// Promises count once the version that they name is applied.
    private void renew(SentBeat beat) {
        if (beat.version().isEmpty()) {
            return;
        }
        for (var disk : disks.values()) {
            if (beat.version().get() <= disk.applied || sim.breaks("lease_any_version")) {
                disk.lease = Math.max(disk.lease, beat.sent() + LEASE);
            }
        }
    }

    boolean leased(Disk disk) {
        return disk.lease > clock() || sim.breaks("no_lease");
    }

    // -- map

    void apply(LogState state) {
        boolean older = view.filter(applied -> state.version <= applied.version || sim.now() < lag)
                .isPresent();
        if (incarnation == 0 || state.incarnation.getOrDefault(id, 0) < incarnation || older) {
            return;
        }
        view = Optional.of(state);
        disks.values().stream()
                .filter(disk -> disk.alive && disk.incarnation == 0)
                .forEach(disk -> state.drive(disk.id)
                        .filter(entry -> isHere(disk, entry))
                        .ifPresent(entry -> began(disk, entry.incarnation())));
        state.slots.forEach((slot, _) -> shell.apply(slot, state.row(slot), state.surplus(slot)));
        disks.values().forEach(disk -> disk.run(() -> applied(disk, state.version)));
        gateway.follow(state);
    }

    private void applied(Disk disk, int version) {
        disk.applied = version;
        for (int number = Math.max(0, beats.size() - 5); number < beats.size(); number++) {
            renew(Known.of(beats, number));
        }
    }

    /// The version that all loops have applied.
    private int appliedByAll() {
        return disks.values().stream()
                .filter(disk -> disk.alive && !disk.ended && disk.incarnation > 0)
                .mapToInt(disk -> disk.applied)
                .min()
                .orElse(-1);
    }

    private void tick() {
        if (clock() - ticked > LATE) {
            steadySince = clock();
            disks.values().forEach(disk -> disk.standsSince = Optional.empty()); // it was the process
        }
        ticked = clock();
        disks.values().forEach(this::watch);
        shell.tick();
        view.ifPresent(state -> {
            state.drives.forEach((drive, owner) -> {
                boolean mine = owner.equals(id) && !state.out.contains(drive);
                if (mine && !(disks.containsKey(drive) && isHere(disks.get(drive), state))) {
                    int itsOwn = state.drive(drive).map(DriveEntry::incarnation).orElse(incarnation);
                    sim.log().propose(new Entry.DriveOut(drive, itsOwn), this);
                }
            });
            disks.values().forEach(disk -> bringIn(disk, state));
            state.slots.keySet().forEach(slot -> cutOff(slot, state));
            state.slots.keySet().forEach(slot -> demote(slot, state));
        });
        after(TICK, this::tick);
    }

    /// A loop that stands still is ended for good, and then the drive is reported. It comes back with another loop when
    /// all that this one ordered is done.
    private void watch(Disk disk) {
        if (!disk.hangs && disk.ended && disk.ordered == 0) {
            disk.ended = false;
            disk.loop++;
            disk.announced("%s, drive %s loop %d".formatted(nonce, disk.id, disk.loop));
        }
        disk.standsSince = disk.hangs ? Optional.of(disk.standsSince.orElse(sim.now())) : Optional.empty();
        boolean stands = disk.standsSince
                .filter(since -> sim.now() - since > STANDS_STILL)
                .isPresent();
        if (stands && !disk.ended && disk.alive && disk.incarnation > 0 && !sim.breaks("x_hang")) {
            sim.trace("%s stands still", disk.id);
            if (sim.breaks("x_stand")) { // it is reported before its loop is ended
                sim.log().propose(new Entry.DriveOut(disk.id, disk.incarnation), this);
                return;
            }
            disk.ended = true;
            disk.unstage();
            disk.announced("");
            shell.forget(disk.id);
            gateway.abandon(disk.id);
        }
    }

    private static boolean isHere(Disk disk, LogState state) {
        return disk.alive
                && !disk.ended
                && state.drive(disk.id).map(entry -> isHere(disk, entry)).orElse(true);
    }

    private static boolean isHere(Disk disk, DriveEntry entry) {
        return !entry.out() && entry.nonce().equals(disk.nonce);
    }

    private void bringIn(Disk disk, LogState state) {
        var entry = state.drive(disk.id);
        if (state.replication.isPresent()
                && disk.alive
                && !disk.ended
                && entry.map(DriveEntry::out).orElse(true)) {
            int itsOwn = entry.map(DriveEntry::incarnation).orElse(0);
            sim.log().propose(new Entry.DriveIn(disk.id, incarnation, itsOwn, disk.nonce, disk.lossy), this);
        }
    }

    /// A member that the primary has not heard for a while is to leave.
    private void cutOff(int slot, LogState state) {
        var row = state.row(slot);
        var primary = row.primary();
        if (!disks.containsKey(primary.drive())) {
            return;
        }
        var heardNow = hears(sim.breaks("x_race") ? 1000 : CUT);
        boolean open = !sim.breaks("x_open") || shell.serving(slot).isPresent();
        if (heardNow.isEmpty() || !open) {
            return;
        }
        var disk = Known.of(disks, primary.drive());
        if (!leased(disk) || !disk.alive || disk.ended || disk.incarnation != primary.incarnation()) {
            return;
        }
        for (var member : row.members()) {
            var other = where(member.drive());
            if (!other.equals(id) && !heardNow.get().contains(other)) {
                askToLeave(slot, row, disk, member.drive());
            }
        }
    }

    /// Only who can still write has data.
    private void askToLeave(int slot, SlotRow row, Disk disk, String leaving) {
        var what = slot + "/" + leaving;
        if (!asking.add(what)) {
            return;
        }
        disk.busyUntil = Math.max(disk.busyUntil, sim.now()) + sim.driveDelay(6);
        int of = disk.life;
        int given = disk.incarnation;
        var beat = answered;
        after(disk.busyUntil - sim.now(), () -> {
            asking.remove(what);
            if (beat.isPresent() && (sim.breaks("x_unwritten") || (disk.alive && disk.life == of))) {
                disk.store.sync();
                asked = sim.now();
                sim.log()
                        .propose(
                                new Entry.CutOff(
                                        slot,
                                        row.epoch(),
                                        leaving,
                                        disk.id,
                                        given,
                                        said(beat.get(), answers.of(slot, row, "cut off " + leaving))),
                                this);
            }
        });
    }

    /// A member of a coded slot asks that others go.
    void askToExpel(int slot, Proposal.Expel proposal, SlotRow row) {
        if (answered.isPresent()) {
            var reason = answers.of(slot, row, "expel " + view.orElseThrow().unusable(row));
            sim.log().propose(new Entry.Expel(slot, proposal, said(answered.get(), reason)), this);
        }
    }

    private Entry.Answered said(AnsweredBeat beat, Map<String, Integer> drives) {
        return new Entry.Answered(id, incarnation, beat.controller(), beat.number(), drives);
    }

    /// The rule as it was: a member that restarted copies everything.
    private void demote(int slot, LogState state) {
        if (!sim.breaks("w_copyback") || shell.serving(slot).isEmpty()) {
            return;
        }
        var row = state.row(slot);
        for (var member : row.members()) {
            boolean restarted = member.inSync() && member.since() > row.primarySince();
            if (restarted && shell.isNewLife(slot, member)) {
                sim.log().propose(new Entry.Demote(slot, row.epoch(), member.drive(), member.incarnation()), this);
            }
        }
    }
}
