package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// Which drives of others have just answered this target process, where members have slices: with each beat it asks
/// them. Who wants members to leave names those that were asked after the reason arose.
final class Answers {
    private static final double FRESH = 500;

    private record Answer(double at, double sent, Map<String, Integer> drives) {}

    private record Reason(int slot, long epoch, String what) {}

    private final Target target;
    private final Sim sim;
    private final Map<String, Answer> last = new HashMap<>();
    private final Map<Reason, Double> since = new HashMap<>();

    Answers(Target target) {
        this.target = target;
        this.sim = target.sim;
    }

    void ask(String other) {
        if (sim.data() > 1) {
            double sent = sim.now();
            sim.network().toTarget(target.id, other, node -> node.answers().asked(target.id, sent));
        }
    }

    /// Each drive answers after a synced write.
    private void asked(String from, double sent) {
        for (var disk : target.disks.values()) {
            int life = disk.life;
            int incarnation = disk.incarnation;
            target.after(sim.driveDelay(6), () -> {
                if (isHere(disk) && disk.life == life && disk.incarnation == incarnation) {
                    disk.store.sync();
                    sim.network()
                            .toTarget(
                                    target.id,
                                    from,
                                    node -> node.answers().came(target.id, disk.id, incarnation, sent));
                }
            });
        }
    }

    private static boolean isHere(Disk disk) {
        return disk.alive && !disk.hangs && !disk.ended && disk.incarnation > 0;
    }

    private void came(String from, String drive, int incarnation, double sent) {
        var drives = new TreeMap<String, Integer>();
        var before = last.get(from);
        if (before != null && before.sent() == sent) {
            drives.putAll(before.drives());
        }
        if (before == null || before.sent() <= sent) {
            drives.put(drive, incarnation);
            last.put(from, new Answer(sim.now(), sent, drives));
        }
    }

    /// The in-sync members that have just answered.
    ///
    /// @param reason why some are to leave
    Map<String, Integer> of(int slot, SlotRow row, String reason) {
        if (sim.data() == 1) {
            return Map.of();
        }
        double begun = since.computeIfAbsent(new Reason(slot, row.epoch(), reason), _ -> sim.now());
        var sure = new TreeMap<String, Integer>();
        target.disks.values().stream().filter(Answers::isHere).forEach(disk -> {
            disk.store.sync();
            sure.put(disk.id, disk.incarnation);
        });
        last.values().stream()
                .filter(answer ->
                        sim.now() - answer.at() < FRESH && (answer.sent() >= begun || sim.breaks("x_ec_before")))
                .forEach(answer -> sure.putAll(answer.drives()));
        sure.keySet().retainAll(row.inSync().stream().map(Member::drive).toList());
        sure.keySet().forEach(drive -> sim.target(LogState.where(drive)).asked = sim.now());
        return sure;
    }
}
