package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What goes wrong, at random moments.
final class Faults {
    private static final List<String> KINDS = List.of(
            "crash",
            "crash",
            "cut",
            "cut_all",
            "freeze",
            "freeze",
            "isolate",
            "oneway",
            "pair",
            "controller",
            "leader",
            "leader_killed",
            "leader_frozen",
            "leader_frozen",
            "leader_cut",
            "leader_cut",
            "controllers",
            "jump",
            "wipe",
            "full",
            "full",
            "move",
            "move",
            "drain",
            "goal",
            "lossy",
            "lossy_all",
            "kill_all",
            "loss",
            "burst",
            "burst",
            "lagging");

    /// What the model's planner does not know.
    private static final List<String> KINDS_OF_PRODUCTION = Stream.concat(
                    KINDS.stream(), Stream.of("leave", "leave", "leave_lossy", "hang", "hang"))
            .toList();

    /// Targets that do not hear each other; all hear the controllers.
    private static final List<String> CUTS =
            List.of("pair_cut", "pair_cut", "pair_cut", "halves", "star", "flap", "cut_lossy", "mesh", "cut_move");

    private final Sim sim;
    final Map<String, Integer> counts = new TreeMap<>();

    /// One loss of data at a time: until then no other fault.
    private double quietUntil;

    private int replaced = 1;

    private final CodedFaults coded;

    Faults(Sim sim) {
        this.sim = sim;
        this.coded = new CodedFaults(sim, this);
    }

    private <T> T one(List<T> choices) {
        return choices.get(sim.random().nextInt(choices.size()));
    }

    void next() {
        if (sim.now() < quietUntil) {
            return;
        }
        var state = sim.log().state;
        int slot = one(List.copyOf(state.slots.keySet()));
        var target = sim.random().nextBoolean()
                ? one(sim.targets())
                : sim.target(where(one(state.row(slot).members()).drive()));
        if (sim.data() > 1 && sim.random().nextBoolean()) {
            coded.next(slot);
            return;
        }
        if (sim.isCut() && sim.random().nextBoolean()) {
            cut(one(CUTS), target, slot);
            return;
        }
        var kind = one(sim.production() ? KINDS_OF_PRODUCTION : KINDS);
        double time = sim.random().nextBoolean() ? sim.uniform(30, 400) : sim.uniform(400, 3000);
        boolean safe = isSafe(target);
        boolean loses = List.of("wipe", "lossy", "leave_lossy").contains(kind)
                || (List.of("cut", "leave").contains(kind) && sim.os());
        if (loses && !safe) {
            return;
        }
        counts.merge(kind, 1, Integer::sum);
        sim.trace("FAULT %s %s slot %d %.0f ms", kind, target.id, slot, time);
        inject(kind, target, slot, time, safe);
    }

    private void inject(String kind, Target target, int slot, double time, boolean safe) {
        var state = sim.log().state;
        switch (kind) {
            case "crash", "cut", "lossy" -> {
                if (target.isUp()) {
                    boolean cut = kind.equals("cut");
                    boolean lossy = kind.equals("lossy");
                    down(target, cut, time, lossy);
                    if (lossy || (cut && sim.os())) {
                        quietUntil = sim.now() + time + 1500;
                    }
                }
            }
            case "cut_all", "kill_all", "lossy_all" -> {
                boolean lossy = kind.equals("lossy_all") && safe;
                boolean cut = !kind.equals("kill_all");
                for (var each : sim.targets()) {
                    if (each.isUp()) {
                        down(each, cut, sim.uniform(30, 700), lossy && each == target);
                    }
                }
                quietUntil = lossy || sim.os() ? sim.now() + 2500 : 0;
                sim.checks().mayHaveLost |= sim.os() && cut;
            }
            case "leave", "leave_lossy" -> {
                if (target.isUp() && !target.frozen) {
                    leave(target, time, kind.equals("leave_lossy"));
                }
            }
            case "hang" -> {
                var disk = one(List.copyOf(target.disks.values()));
                disk.hangs = true;
                sim.after(sim.uniform(500, 6000), disk::goOn);
            }
            case "freeze" -> freeze(target, time);
            case "isolate", "oneway", "pair" -> {
                var nodes = new ArrayList<String>(List.of("c0", "c1", "c2"));
                sim.targets().forEach(each -> nodes.add(each.id));
                Collections.shuffle(nodes, sim.random());
                var them =
                        kind.equals("pair") ? nodes.subList(0, 1 + sim.random().nextInt(3)) : nodes;
                var cut = sim.network().block(target.id, List.copyOf(them), !kind.equals("oneway"));
                sim.after(time, () -> sim.network().unblock(cut));
            }
            case "controller" -> {
                var controller = one(sim.log().controllers);
                controller.stop();
                sim.after(sim.random().nextBoolean() ? 5 : time, controller::restart);
            }
            case "leader_killed" -> {
                var leader = leader();
                leader.stop();
                sim.after(sim.random().nextBoolean() ? 5 : time, leader::restart);
            }
            case "leader_frozen" -> leader().freeze(time);
            case "leader_cut" -> {
                var others =
                        sim.log().controllers.stream().map(Controller::name).toList();
                var cut = sim.network()
                        .block(leader().name(), others, sim.random().nextDouble() < .7);
                sim.after(time, () -> sim.network().unblock(cut));
            }
            case "controllers" -> {
                for (var controller : sim.log().controllers) {
                    controller.stop();
                    sim.after(sim.uniform(30, 700), controller::restart);
                }
            }
            case "leader" -> sim.log().busyUntil = sim.now() + time;
            case "jump" -> target.skew += time; // the boot clock never goes back
            case "wipe" -> {
                if (target.isUp()) {
                    wipe(target, time);
                }
            }
            case "full" -> {
                var disk = one(List.copyOf(target.disks.values()));
                disk.full = true;
                sim.after(time, () -> disk.full = false);
            }
            case "move" -> move(slot, one(state.row(slot).inSync()).drive());
            case "drain" -> {
                if (state.up.containsKey(target.id) && !sim.production()) {
                    sim.log().propose(new Entry.Drain(target.id));
                }
            }
            case "goal" ->
                sim.log().propose(new Entry.Goal(sim.goal(1 + sim.random().nextInt(3))));
            case "burst" -> burst(slot);
            case "lagging" -> { // frozen, declared down, back, but without the map
                double pause = sim.uniform(1000, 2500);
                if (freeze(target, pause)) {
                    target.lag = sim.now() + pause + sim.uniform(100, 1500);
                }
            }
            case "loss" -> sim.network().loss = one(List.of(0.0, .1, .3));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    /// Sometimes another controller.
    private Controller leader() {
        return sim.random().nextDouble() < .8
                ? sim.log().leader().orElse(sim.log().controllers.getFirst())
                : one(sim.log().controllers);
    }

    private void cut(String kind, Target target, int slot) {
        var network = sim.network();
        var targets = sim.targets().stream().map(each -> each.id).toList();
        var row = sim.log().state.row(slot);
        var primary = where(row.primary().drive());
        var member = sim.random().nextDouble() < .8 ? where(one(row.members()).drive()) : one(targets);
        var other = member.equals(primary)
                ? one(targets.stream().filter(each -> !each.equals(primary)).toList())
                : member;
        double time = sim.random().nextBoolean() ? sim.uniform(900, 2500) : sim.uniform(2500, 6000);
        var pairs = switch (kind) {
            case "star" -> network.pairs(target.id, targets, true);
            case "mesh" -> network.pairs(targets, targets);
            case "halves" -> {
                var shuffled = new ArrayList<>(targets);
                Collections.shuffle(shuffled, sim.random());
                int size = 1 + sim.random().nextInt(Math.max(1, targets.size() / 2));
                yield network.pairs(shuffled.subList(0, size), shuffled.subList(size, targets.size()));
            }
            default ->
                sim.random().nextDouble() < .7
                        ? network.pairs(primary, List.of(other), true)
                        : network.pairs(sim.random().nextBoolean() ? primary : other, List.of(primary, other), false);
        };
        counts.merge(kind, 1, Integer::sum);
        sim.trace("FAULT %s %s slot %d %.0f ms", kind, pairs, slot, time);
        double at = 0;
        for (int i = 0; i < (kind.equals("flap") ? 4 : 1); i++) {
            sim.after(at, () -> network.block(pairs));
            sim.after(at + (kind.equals("flap") ? 1300 : time), () -> network.unblock(pairs));
            at += sim.uniform(1300, 2600);
        }
        if (sim.random().nextDouble() < .4) { // hears the controllers, and gets no map
            sim.target(sim.random().nextBoolean() ? primary : other).lag = sim.now() + sim.uniform(500, 3500);
        }
        if (kind.equals("cut_lossy")) {
            if (sim.random().nextBoolean()) { // the request waits at the leader
                sim.after(
                        sim.random().nextBoolean() ? 900 : 1950,
                        () -> sim.log().busyUntil = sim.now() + sim.uniform(2400, 3800));
            }
            sim.after(sim.uniform(1900, 3300), () -> loseNow(slot, sim.target(primary)));
        }
        if (kind.equals("cut_move")) {
            sim.after(
                    sim.uniform(0, 600),
                    () -> move(
                            slot, sim.log().state.row(slot).inSync().getLast().drive()));
        }
    }

    /// The primary that is about to ask that a member leaves loses its data.
    private void loseNow(int slot, Target target) {
        if (!target.isUp() || sim.isQuiet() || sim.now() < quietUntil || !isSafe(target)) {
            return;
        }
        quietUntil = sim.now() + 3000;
        var disk = target.disks.get(sim.log().state.row(slot).primary().drive());
        sim.trace("FAULT %s loses its data", target.id);
        if (disk != null && disk.alive && sim.random().nextDouble() < .6) {
            disk.alive = false;
            exchange(target, disk, 100);
        } else {
            down(target, true, 100, true);
        }
    }

    /// Whether each slot of this target has a sound in-sync member elsewhere, or slices enough. Who asked that a member
    /// leaves has the only copy until then.
    boolean isSafe(Target target) {
        if (sim.now() - target.asked < 1600) {
            return false;
        }
        var state = sim.log().state;
        return state.slots.values().stream()
                .map(SlotRow::inSync)
                .filter(members -> members.stream()
                        .anyMatch(member -> where(member.drive()).equals(target.id)))
                .allMatch(members -> SlotRow.positions(members.stream()
                                .filter(member -> !where(member.drive()).equals(target.id) && isSound(member))
                                .toList())
                        >= sim.data());
    }

    private boolean isSound(Member member) {
        var target = sim.target(where(member.drive()));
        return target.isRegistered()
                && !target.frozen
                && target.disks.containsKey(member.drive())
                && target.disks.get(member.drive()).incarnation == member.incarnation()
                && target.disks.get(member.drive()).alive
                && !target.disks.get(member.drive()).hangs
                && !(sim.isCut()
                        ? sim.network().isCutFromControllers(target.id)
                        : sim.network().touches(target.id));
    }

    boolean freeze(Target target, double time) {
        if (!target.isUp() || target.frozen) {
            return false;
        }
        target.frozen = true;
        int life = target.life;
        sim.after(time, () -> {
            if (target.life == life) {
                target.thaw();
            }
        });
        return true;
    }

    void down(Target target, boolean cut, double time, boolean lossy) {
        target.stop();
        for (var disk : target.disks.values()) {
            disk.busyUntil = 0;
            if (cut && disk.alive) {
                disk.store.cut(sim.random());
            }
            if (lossy && disk.alive) {
                disk.store.forgetIntents();
                disk.lossy = true;
            }
        }
        sim.after(time, () -> target.start(cut));
    }

    /// A drive fails while its process runs, and comes back a while later. What was not synced may be lost.
    private void leave(Target target, double time, boolean lossy) {
        var disk = one(List.copyOf(target.disks.values()));
        if (!disk.alive) {
            return;
        }
        target.leave(disk);
        disk.store.cut(sim.random());
        if (lossy) {
            disk.store.forgetIntents();
            disk.lossy = true;
        }
        boolean killed = sim.os() && !lossy && (long) time % 2 == 0;
        if (lossy || killed) {
            quietUntil = sim.now() + time + 1500;
        }
        if (killed) {
            sim.after(time % 50, () -> killBeforeTheLogKnows(target, disk, time));
        } else {
            sim.after(time, () -> target.comeBack(disk));
        }
    }

    /// The next process of the same boot finds the drive again.
    private void killBeforeTheLogKnows(Target target, Disk disk, double time) {
        disk.alive = target.disks.containsValue(disk);
        if (target.isUp()) {
            sim.trace("FAULT %s is killed", target.id);
            down(target, false, time, false);
        }
    }

    /// A drive is exchanged for a blank one. The process notices at its next start.
    private void wipe(Target target, double time) {
        var disk = one(List.copyOf(target.disks.values()));
        disk.alive = false;
        quietUntil = sim.now() + 2500;
        exchange(target, disk, time);
    }

    void exchange(Target target, Disk disk, double time) {
        disk.exchanged = true;
        var blank = new Disk(target.id + ".d" + ++replaced);
        sim.after(time, () -> {
            if (target.isRegistered()) {
                target.stop();
                target.start(false);
            }
            target.disks.remove(disk.id);
            target.add(blank);
        });
    }

    private void move(int slot, String drive) {
        sim.log().propose(new Entry.Move(slot, sim.log().state.row(slot).epoch(), drive));
    }

    /// Changes in quick succession, while the primary gets no map.
    private void burst(int slot) {
        var primary = sim.target(where(sim.log().state.row(slot).primary().drive()));
        primary.lag = sim.now() + sim.uniform(200, 700);
        var steps = one(List.of(List.of(0, 1, 2), List.of(0, 2, 1, 3), List.of(0, 0), List.of(0, 0, 0)));
        double pause = 5;
        for (int step : steps) {
            sim.after(pause, () -> {
                if (step == 0) {
                    move(slot, sim.log().state.row(slot).inSync().getLast().drive());
                } else {
                    sim.log().propose(new Entry.Goal(sim.goal(step)));
                }
            });
            pause += sim.uniform(20, 130);
        }
    }

    /// Faults end.
    void end() {
        sim.network().heal();
        sim.log().busyUntil = 0;
        for (var controller : sim.log().controllers) {
            controller.thaw();
            controller.restart();
        }
        for (var target : sim.targets()) {
            target.thaw();
            target.disks.values().forEach(disk -> {
                disk.full = false;
                disk.goOn();
            });
        }
    }
}
