package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;

/// One seed is one run of a kind: 3 to 5 targets with 1 or 2 drives, three controllers, clients and faults in virtual
/// milliseconds, with nothing that is not decided by the seed. Faults end after a while; then everything has to heal.
final class Sim {
    /// When faults stop.
    static final double QUIET = 8000;

    private static final double HEALED = QUIET + 9000;
    private static final double CODED_HEALED = QUIET + 16000;
    private static final double LAST_READS = 1200;

    /// Who plans what an entry of the log does, and what goes wrong.
    enum Kind {
        /// The model's planner.
        MODEL(false, false, false),
        /// The controllers'.
        PRODUCTION(true, false, false),
        /// Targets do not hear each other, and hear the controllers.
        MODEL_CUTS(false, true, false),
        PRODUCTION_CUTS(true, true, false),
        /// Drives purge what they have of slots that they left, at once.
        MODEL_PURGES(false, false, true),
        /// Members have slices of objects. The controllers' planner; some targets do not hear each other.
        CODED(true, true, false);

        private final boolean production;
        private final boolean cuts;
        private final boolean purges;

        Kind(boolean production, boolean cuts, boolean purges) {
            this.production = production;
            this.cuts = cuts;
            this.purges = purges;
        }
    }

    private record Task(double at, long number, Runnable work) {}

    private final Random random;
    private final Set<String> broken;
    private final boolean traced;
    private final Kind kind;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>((one, other) -> {
        int order = Double.compare(one.at, other.at);
        return order != 0 ? order : Long.compare(one.number, other.number);
    });
    private double now;
    private long number;
    private final boolean os;
    private final int pageSize;
    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final Network network;
    private final Log log;
    private final Clients clients;
    private final Checks checks = new Checks(this);
    private final Faults faults = new Faults(this);
    private final boolean purges;
    private final boolean wild;
    private int data = 1;
    private int parity;

    private Sim(long seed, Set<String> broken, boolean traced, Kind kind) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.broken = broken;
        this.traced = traced;
        this.kind = kind;
        boolean coded = kind == Kind.CODED;
        os = random.nextDouble() < .25 && !coded;
        pageSize = 1 + random.nextInt(2);
        network = new Network(this, List.of(0.0, .01, .05).get(random.nextInt(3)));
        int count = 3 + random.nextInt(coded ? 4 : 3);
        int slots = 1 + random.nextInt(2);
        if (coded) {
            choose(count);
        }
        purges = kind.purges || (coded && random.nextBoolean());
        wild = coded && random.nextInt(16) == 0;
        checks.mayHaveLost = wild;
        var state = new LogState();
        state.data = data;
        state.goal = goal(List.of(1, 2, 2, 2, 3).get(random.nextInt(5)));
        state.os = os;
        state.lastIncarnation = count;
        int least = 1 + random.nextInt(2); // few sets of drives: each is ranked once
        int more = random.nextInt(2);
        boolean oneJoinsLater = count > 3 && random.nextDouble() < .4;
        for (int i = 0; i < count; i++) {
            var target = new Target(this, "t" + i);
            targets.put(target.id, target);
            int disks = i % 2 == 0 ? least : Math.max(1, least - more);
            for (int j = 0; j < disks; j++) {
                var disk = new Disk(target.id + ".d" + j);
                target.disks.put(disk.id, disk);
            }
            if (!(oneJoinsLater && i == count - 1)) {
                state.incarnation.put(target.id, i + 1);
                state.up.put(target.id, true);
                state.bootIds.put(target.id, target.bootId());
                state.nonce.put(target.id, Target.nonce(target.id, 1));
                state.entry.put(target.id, 1);
                target.disks.keySet().forEach(disk -> state.drives.put(disk, target.id));
            }
        }
        for (int slot = 0; slot < slots; slot++) {
            var members = new ArrayList<Member>();
            for (var drive : RowPlanner.goal(state, slot, _ -> true)) {
                int position = coded ? members.size() : 0;
                members.add(new Member(drive, true, Known.of(state.incarnation, LogState.where(drive)), 1, position));
            }
            members.sort(Comparator.comparing(this::isBehind));
            state.slots.put(slot, new SlotRow(1, members, 1, 1, List.of(), false));
        }
        log = new Log(this, state);
        log.begin();
        for (var target : targets.values()) {
            if (state.up.containsKey(target.id)) {
                target.start(false);
                target.registered(Known.of(state.incarnation, target.id));
                target.apply(state);
            } else {
                after(uniform(1000, 6000), () -> target.start(false));
            }
        }
        clients = new Clients(this, keys(slots));
        for (int i = 0; i < 3; i++) {
            var name = "x" + i;
            after(uniform(0, 300), () -> clients.begin(name));
        }
        int bad = 2 + random.nextInt(8);
        for (int i = 0; i < bad; i++) {
            after(uniform(600, QUIET - 500), faults::next);
        }
        after(100, this::tick);
    }

    /// A code that as many targets can have.
    private void choose(int count) {
        var codes = new ArrayList<List<Integer>>(List.of(List.of(2, 1), List.of(2, 2), List.of(3, 1), List.of(3, 2)));
        codes.removeIf(code -> code.getFirst() + code.getLast() > count);
        var code = codes.get(random.nextInt(codes.size()));
        data = code.getFirst();
        parity = code.getLast();
    }

    /// Behind position 0 and the parities.
    private boolean isBehind(Member member) {
        return member.position() > 0 && member.position() < data;
    }

    private List<ObjectKey> keys(int slots) {
        var keys = new ArrayList<ObjectKey>();
        for (int slot = 0; slot < slots; slot++) {
            keys.add(new ObjectKey(slot + 1, "a"));
            if (random.nextBoolean()) {
                keys.add(new ObjectKey(slot + 1, "b"));
            }
        }
        return keys;
    }

    /// @param violation empty: all promises were kept
    record Result(Optional<String> violation, int operations, int notJudged, Map<String, Integer> faults) {}

    static Result run(long seed, Set<String> broken, boolean traced, Kind kind) {
        Optional<Sim> sim = Optional.empty();
        Optional<String> violation = Optional.empty();
        try {
            sim = Optional.of(new Sim(seed, broken, traced, kind));
            sim.get().run();
        } catch (Violation found) {
            violation = Optional.of(String.valueOf(found.getMessage()));
        } catch (RuntimeException failure) {
            var at = failure.getStackTrace().length == 0 ? "" : failure.getStackTrace()[0].toString();
            violation = Optional.of("the core or the simulation failed: " + failure + " at " + at);
        }
        var result = violation.map(why -> why);
        return sim.map(done -> new Result(
                        result.map(why -> String.format(Locale.ROOT, "%.0f ms: %s", done.now, why)),
                        done.clients.operations.size(),
                        done.checks.notJudged,
                        done.faults.counts))
                .orElseGet(() -> new Result(result, 0, 0, Map.of()));
    }

    private void run() {
        runUntil(QUIET);
        faults.end();
        double healed = data > 1 ? CODED_HEALED : HEALED; // positions change hands one after the other
        runUntil(healed);
        checks.converged();
        double end = healed + LAST_READS;
        if (isCut() && data == 1) {
            end += new WhileCut(this).run();
        }
        var last = clients.lastReads();
        runUntil(end);
        checks.explained(last);
    }

    void runUntil(double end) {
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            var task = tasks.poll();
            now = task.at;
            task.work.run();
        }
        now = end;
    }

    private void tick() {
        network.tick();
        log.tick();
        after(100, this::tick);
    }

    // -- what the parts share

    void after(double delay, Runnable work) {
        tasks.add(new Task(now + delay, number++, work));
    }

    double now() {
        return now;
    }

    boolean isQuiet() {
        return now >= QUIET;
    }

    Random random() {
        return random;
    }

    double uniform(double from, double to) {
        return from + (to - from) * random.nextDouble();
    }

    /// How long a drive takes: sometimes it hangs for a while.
    double driveDelay(double usual) {
        double luck = random.nextDouble();
        return luck < .94 ? uniform(.01, usual) : luck < .98 || isQuiet() ? uniform(1, 20) : uniform(20, 200);
    }

    boolean breaks(String rule) {
        return broken.contains(rule);
    }

    Set<String> broken() {
        return broken;
    }

    /// Whether writes count before they are synced.
    boolean os() {
        return os;
    }

    /// Whether the planner of the controllers plans.
    boolean production() {
        return kind.production;
    }

    /// Whether targets are cut off from each other.
    boolean isCut() {
        return kind.cuts;
    }

    boolean purges() {
        return purges;
    }

    /// Whether more is lost than a code can bear: then only liveness is judged, and that no positions are given up.
    boolean isWild() {
        return wild;
    }

    /// How many slices make an object; 1 where members have whole ones.
    int data() {
        return data;
    }

    int parity() {
        return parity;
    }

    /// With fewer positions in-sync nothing is acknowledged.
    int floor() {
        return parity > 1 ? data + 1 : data;
    }

    /// The production planner has groups of two replicas at least. Those of a code have all members.
    int goal(int wanted) {
        return data > 1 ? data + parity : production() ? Math.max(2, wanted) : wanted;
    }

    int pageSize() {
        return pageSize;
    }

    Network network() {
        return network;
    }

    Log log() {
        return log;
    }

    Clients clients() {
        return clients;
    }

    Checks checks() {
        return checks;
    }

    List<Target> targets() {
        return List.copyOf(targets.values());
    }

    Target target(String id) {
        return Known.of(targets, id);
    }

    boolean traces() {
        return traced;
    }

    @SuppressWarnings("AnnotateFormatMethod")
    void trace(String format, Object... values) {
        if (traced) {
            System.out.printf(Locale.ROOT, "%8.1f  %s%n", now, String.format(Locale.ROOT, format, values));
        }
    }
}
