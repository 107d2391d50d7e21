package dev.sluice.targetnode.replica.core.sim;

import static dev.sluice.targetnode.replica.core.sim.LogState.where;

import dev.sluice.common.cluster.slots.Member;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What goes wrong where members have slices: several at once, or one after the other.
final class CodedFaults {
    private static final List<String> KINDS = List.of(
            "hands", "hands", "blips", "lose", "lose", "pairs", "pairs", "two", "together", "together", "silent");

    private final Sim sim;
    private final Faults faults;

    CodedFaults(Sim sim, Faults faults) {
        this.sim = sim;
        this.faults = faults;
    }

    private <T> T one(List<T> choices) {
        return choices.get(sim.random().nextInt(choices.size()));
    }

    void next(int slot) {
        var kind = one(KINDS);
        faults.counts.merge(kind, 1, Integer::sum);
        sim.trace("FAULT %s slot %d", kind, slot);
        var random = sim.random();
        switch (kind) {
            case "hands" -> { // for so long that another drive takes the position
                double at = 0;
                for (int i = 2 + random.nextInt(3); i > 0; i--) {
                    sim.after(at, () -> away(slot));
                    at += sim.uniform(900, 2700);
                }
                if (random.nextDouble() < .6) {
                    sim.after(Math.max(0, at + sim.uniform(-500, 2500)), () -> lose(slot));
                }
            }
            case "blips" -> { // what was staged and not prepared is gone
                double at = 0;
                for (int i = 3 + random.nextInt(6); i > 0; i--) {
                    sim.after(at, () -> away(one(members(slot)), sim.uniform(5, 200)));
                    at += random.nextBoolean() ? sim.uniform(0, 15) : sim.uniform(0, 300);
                }
            }
            case "lose" -> {
                for (int i = 1 + random.nextInt(sim.parity()); i > 0; i--) {
                    sim.after(random.nextBoolean() ? 0 : sim.uniform(0, 1500), () -> lose(slot));
                }
                if (random.nextBoolean()) {
                    sim.after(sim.uniform(0, 900), () -> away(slot));
                }
            }
            case "pairs" -> {
                var primary = where(sim.log().state.row(slot).primary().drive());
                var others = sim.targets().stream()
                        .map(target -> target.id)
                        .filter(id -> !id.equals(primary))
                        .toList();
                var cut = sim.network().block(primary, List.of(one(others)), true);
                sim.after(sim.uniform(1500, 5000), () -> sim.network().unblock(cut));
                if (random.nextDouble() < .6) {
                    sim.after(sim.uniform(0, 2500), () -> away(slot));
                }
            }
            case "two" -> {
                away(slot);
                sim.after(random.nextBoolean() ? 0 : sim.uniform(0, 1500), () -> away(slot));
                if (random.nextDouble() < .3) {
                    sim.after(sim.uniform(0, 2500), () -> lose(slot));
                }
            }
            case "together" -> // what was just acknowledged is prepared there, and not yet committed
                sim.checks().afterNextAcknowledgement(slot, () -> together(slot));
            case "silent" -> silent(slot);
            default -> throw new IllegalArgumentException(kind);
        }
    }

    private List<Member> members(int slot) {
        return sim.log().state.row(slot).members();
    }

    /// A write stays open while others come and go.
    private void silent(int slot) {
        var members = new ArrayList<>(members(slot));
        Collections.shuffle(members, sim.random());
        faults.freeze(sim.target(where(members.getFirst().drive())), sim.uniform(1000, 2600));
        for (var member : members.subList(1, Math.min(3, members.size()))) {
            sim.after(sim.uniform(0, 600), () -> away(member, sim.uniform(900, 2000)));
        }
        sim.after(sim.uniform(1200, 2600), () -> away(slot));
    }

    /// Some die within a moment, the index of one of them with it.
    private void together(int slot) {
        var members = new ArrayList<>(sim.log().state.row(slot).inSync());
        Collections.shuffle(members, sim.random());
        int most =
                sim.random().nextBoolean() ? sim.parity() + 1 : 2 + sim.random().nextInt(4);
        lose(members.getFirst(), sim.uniform(300, 3000));
        for (var member : members.subList(1, Math.min(most, members.size()))) {
            double time = sim.random().nextInt(3) == 0 ? sim.uniform(20, 600) : sim.uniform(1300, 3000);
            sim.after(sim.uniform(0, 120), () -> {
                if (sim.isWild()) {
                    lose(member, time);
                } else {
                    away(member, time);
                }
            });
        }
    }

    private void away(int slot) {
        away(one(members(slot)), sim.uniform(1000, 3000));
    }

    private void away(Member member, double time) {
        var target = sim.target(where(member.drive()));
        if (!target.isUp() || sim.isQuiet()) {
            return;
        }
        sim.trace("FAULT %s away %.0f ms", target.id, time);
        if (sim.random().nextDouble() < .7) {
            faults.down(target, sim.random().nextDouble() < .3, time, false);
        } else {
            faults.freeze(target, time);
        }
    }

    private void lose(int slot) {
        lose(one(sim.log().state.row(slot).inSync()), sim.uniform(20, 2500));
    }

    /// A member's drive, or its index, is lost, if the others can bear it; in a wild run only an index, in any case.
    private void lose(Member member, double time) {
        var target = sim.target(where(member.drive()));
        if (!target.isUp() || sim.now() > Sim.QUIET - 300 || !(faults.isSafe(target) || sim.isWild())) {
            return;
        }
        sim.trace("FAULT %s loses %s", target.id, member.drive());
        var disk = target.disks.get(member.drive());
        if (disk != null && disk.alive && sim.random().nextBoolean() && !sim.isWild()) {
            disk.alive = false;
            faults.exchange(target, disk, sim.uniform(30, 1500));
        } else {
            faults.down(target, true, time, true);
        }
    }
}
