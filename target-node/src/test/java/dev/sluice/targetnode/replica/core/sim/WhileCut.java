package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import java.util.List;

/// When all has healed, some targets are cut off from each other and nothing else happens: what should be served is
/// served before they hear each other again, after few entries of the log.
final class WhileCut {
    private static final double TIME = 13_000;
    private static final double WRITES = 2000;
    private static final double HEALED = 8000;
    private static final int MOST_ENTRIES = 40;

    private final Sim sim;
    private final Log log;

    WhileCut(Sim sim) {
        this.sim = sim;
        this.log = sim.log();
    }

    /// @return how long it took
    double run() {
        var random = sim.random();
        var what = (sim.production()
                        ? List.of("pair", "pair", "star", "mesh", "leader", "hang")
                        : List.of("pair", "pair", "star", "mesh", "leader"))
                .get(random.nextInt(sim.production() ? 6 : 5));
        var targets = sim.targets().stream().map(target -> target.id).toList();
        int slot = random.nextInt(log.slots().size());
        var one = where(log.state.row(slot).primary().drive());
        var others = targets.stream().filter(each -> !each.equals(one)).toList();
        int before = log.state.version;
        int cutOffs = log.cutOffs;
        sim.trace("ONLY %s %s", what, one);
        switch (what) {
            case "pair" -> sim.network().block(one, List.of(others.get(random.nextInt(others.size()))), true);
            case "star" -> sim.network().block(one, others, true);
            case "leader" -> { // the other controllers are heard
                sim.network().block(one, List.of(log.leader().orElseThrow().name()), true);
                sim.target(one).stop();
                sim.target(one).start(false);
            }
            case "hang" ->
                Known.of(sim.target(one).disks, log.state.row(slot).primary().drive()).hangs = true;
            default -> targets.forEach(each -> sim.network().block(each, targets, true));
        }
        if (random.nextDouble() < .6) {
            sim.after(sim.uniform(0, 1500), () -> {
                var row = log.state.row(slot);
                log.propose(
                        new Entry.Move(slot, row.epoch(), row.inSync().getLast().drive()));
            });
        }
        sim.runUntil(sim.now() + TIME);
        var writes = sim.clients().writesAtPrimaries();
        sim.runUntil(sim.now() + WRITES);
        boolean tooFew = what.equals("mesh") && targets.size() > 3;
        writes.forEach(write -> {
            int of = MemoryStore.slot(write.key);
            var primary = where(log.state.row(of).primary().drive());
            boolean served = sim.target(primary).shell.serving(of).isPresent();
            boolean lone = log.state.goal == 1 && log.state.row(of).inSync().size() == 1 && !what.equals("pair");
            if (!tooFew && !lone && !(served && write.result == Operation.Result.OK)) {
                throw new Violation(
                        "liveness: while cut (%s of %d) slot %d is not served (%s), or %s: %s, muted %s",
                        what, targets.size(), of, served, write, log.state.row(of), log.state.muted);
            }
        });
        if (what.equals("leader") && !log.state.isUp(one)) {
            throw new Violation("liveness: %s stays down while cut from the leader", one);
        }
        int entries = log.state.version - before;
        int left = log.cutOffs - cutOffs;
        if (entries > MOST_ENTRIES) {
            throw new Violation("flapping: %d entries while cut (%s)", entries, what);
        }
        if (what.equals("pair") && left > log.slots().size()) {
            throw new Violation("flapping: %d members leave while one pair is cut", left);
        }
        sim.network().heal();
        sim.targets().forEach(target -> target.disks.values().forEach(Disk::goOn));
        sim.runUntil(sim.now() + HEALED);
        sim.checks().converged();
        return TIME + WRITES + HEALED;
    }
}
