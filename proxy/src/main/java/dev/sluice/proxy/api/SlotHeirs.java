package dev.sluice.proxy.api;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.proxy.gateway.TargetFanout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Who gets a slot that nobody has as a whole: the drive with most of it.
final class SlotHeirs {
    /// Slots in a question.
    private static final int AT_ONCE = 512;

    private final TargetFanout targets;

    SlotHeirs(TargetFanout targets) {
        this.targets = targets;
    }

    /// @param whoever whether those count that do not answer, as drives that have nothing
    List<SlotDrive> of(ClusterState state, List<ForgetApi.Named> lost, boolean whoever) {
        var heirs = new ArrayList<SlotDrive>();
        var asked = state.replication().drives().entries().keySet().stream()
                .filter(drive -> state.replication().usable(drive))
                .collect(Collectors.toUnmodifiableSet());
        var byGroup = lost.stream().collect(Collectors.groupingBy(ForgetApi.Named::group));
        byGroup.forEach((group, slots) -> {
            for (int from = 0; from < slots.size(); from += AT_ONCE) {
                var some = slots.subList(from, Math.min(from + AT_ONCE, slots.size()));
                var rows = rows(state, group, some);
                for (var slot : some) {
                    var held = rows.getOrDefault(slot.slot(), List.of());
                    var answered = held.stream().map(HeldRows::drive).collect(Collectors.toSet());
                    if (whoever || answered.containsAll(asked)) {
                        heir(state, slot, held).ifPresent(heirs::add);
                    }
                }
            }
        });
        return heirs.subList(0, Math.min(heirs.size(), Command.SlotCommand.MOST_SLOTS));
    }

    /// By slot. A target that is down, or does not answer, has none.
    private Map<Integer, List<HeldRows>> rows(ClusterState state, int id, List<ForgetApi.Named> lost) {
        var group = state.replication().group(id).orElseThrow();
        var buckets = state.buckets().buckets().values().stream()
                .filter(bucket -> bucket.group() == id)
                .map(Bucket::id)
                .collect(Collectors.toSet());
        var question = new SlotQuestion(
                group.hashes(),
                lost.stream().map(each -> group.firstHash(each.slot())).toList(),
                buckets);
        var rows = new HashMap<Integer, List<HeldRows>>();
        targets.answersOfLiving(target -> target.held(question), _ -> List.<HeldRows>of())
                .values()
                .forEach(some ->
                        some.forEach(held -> rows.computeIfAbsent(held.first() / group.hashes(), _ -> new ArrayList<>())
                                .add(held)));
        return rows;
    }

    /// The learner with most of it, for that has the newest writes; else the drive with most of it; else an empty one.
    private static Optional<SlotDrive> heir(ClusterState state, ForgetApi.Named lost, List<HeldRows> rows) {
        var replication = state.replication();
        var learners = lost.left().stream().map(Member::drive).collect(Collectors.toSet());
        var most = rows.stream()
                .filter(held -> held.rows() > 0 && state.replication().usable(held.drive()))
                .max(Comparator.comparing((HeldRows held) -> learners.contains(held.drive()))
                        .thenComparingLong(HeldRows::rows)
                        .thenComparing(HeldRows::drive))
                .map(HeldRows::drive);
        return most.or(() -> learners.stream()
                        .filter(drive -> state.replication().usable(drive))
                        .min(Comparator.naturalOrder()))
                .or(() -> anyDrive(state, lost.slot()))
                .map(drive -> new SlotDrive(
                        lost.group(),
                        lost.slot(),
                        lost.row().epoch(),
                        drive,
                        replication.drives().find(drive).orElseThrow().incarnation()));
    }

    private static Optional<String> anyDrive(ClusterState state, int slot) {
        var usable = state.replication().drives().entries().keySet().stream()
                .filter(drive -> state.replication().usable(drive))
                .toList();
        return usable.isEmpty() ? Optional.empty() : Optional.of(usable.get(slot % usable.size()));
    }
}
