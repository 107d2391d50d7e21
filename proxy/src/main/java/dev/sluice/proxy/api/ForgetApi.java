package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Command.SlotDrive;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// `/v1/cluster`: gives up a target, or a drive, that will not come back. Its slots go to other drives.
public final class ForgetApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> VALUES = Set.of("id", "accept_data_loss", "dry_run");
    private static final int ATTEMPTS = 8;

    /// Slots in a question.
    private static final int AT_ONCE = 512;

    private final ControlPlane control;
    private final TargetFanout targets;

    public ForgetApi(ControlPlane control, TargetFanout targets) {
        this.control = control;
        this.targets = targets;
    }

    /// A target with all its drives, or one of them.
    ///
    /// @param barred whether they are forgotten already, and only their slots are still to be given away
    private record Meant(NodeId target, Optional<String> drive, Set<String> drives, boolean barred) {}

    /// A slot of which something is meant.
    private record Named(int group, int slot, SlotRow row, List<Member> left) {
        boolean isLost() {
            return SlotRow.firstInSync(left).isEmpty();
        }
    }

    /// @param message `{"action": "forget", "value": {"id", "accept_data_loss", "dry_run"}}`
    JsonNode act(JsonNode message) throws IOException {
        if (!message.path("action").asText().equals("forget")) {
            throw new IOException("expected a body {\"action\": \"forget\", \"value\": {\"id\": …}}");
        }
        var value = message.path("value");
        for (var field : value.properties()) {
            if (!VALUES.contains(field.getKey())) {
                throw new IOException(
                        "unknown value '%s'; known are %s".formatted(field.getKey(), new TreeSet<>(VALUES)));
            }
        }
        var state = control.confirm();
        var meant = meant(state, value.path("id").asText());
        if (!meant.barred) {
            requireGone(state, meant);
        }
        var named = named(state, meant.drives);
        var shown = shown(state, meant, named);
        if (value.path("dry_run").asBoolean(false)) {
            return shown;
        }
        long lost = named.stream().filter(Named::isLost).count();
        boolean accepted = value.path("accept_data_loss").asBoolean(false);
        if (lost > 0 && !accepted) {
            throw new StoreException.InvalidArgument(
                    "%d slots would lose the last replica that has every acknowledged write. Bring it back, or accept that with --accept-data-loss"
                            .formatted(lost));
        }
        var barred = meant.barred ? state : bar(meant);
        return shown.put("left", giveAway(barred, meant, accepted));
    }

    private static Meant meant(ClusterState state, String id) {
        var replication = state.replication();
        var drive = replication.drives().find(id);
        if (drive.isPresent()) {
            return new Meant(
                    drive.get().target(),
                    Optional.of(id),
                    Set.of(id),
                    replication.forgotten().contains(id));
        }
        var known = replication.targets().keySet().stream()
                .filter(target -> target.value().equals(id))
                .findFirst();
        if (known.isEmpty()) {
            throw new StoreException.InvalidArgument(
                    replication.forgotten().contains(id)
                            ? "drive " + id + " is forgotten already"
                            : "there is no target or drive " + id + " (sluice status, sluice drive list)");
        }
        var drives = replication.drives().entries().entrySet().stream()
                .filter(entry -> entry.getValue().target().equals(known.get()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
        var begun = new TreeSet<>(drives);
        begun.retainAll(replication.forgotten());
        return begun.isEmpty()
                ? new Meant(known.get(), Optional.empty(), drives, false)
                : new Meant(known.get(), Optional.empty(), begun, true); // it may have come with others since
    }

    private static void requireGone(ClusterState state, Meant meant) {
        var replication = state.replication();
        if (meant.drive.isPresent()) {
            if (!replication
                    .drives()
                    .find(meant.drive.get())
                    .map(DriveEntry::out)
                    .orElse(true)) {
                throw new StoreException.InvalidArgument(
                        "drive %s is not reported offline: disable it first (sluice drive disable), or forget its target %s if that is gone"
                                .formatted(meant.drive.get(), meant.target));
            }
        } else if (replication.target(meant.target).filter(TargetEntry::up).isPresent()) {
            throw new StoreException.InvalidArgument("target %s is up: stop its process first".formatted(meant.target));
        }
    }

    private static List<Named> named(ClusterState state, Set<String> drives) {
        var named = new ArrayList<Named>();
        var gone = new TreeSet<>(state.replication().forgotten());
        gone.addAll(drives);
        state.replication().tables().forEach((group, table) -> {
            for (int slot = 0; slot < table.size(); slot++) {
                var row = table.row(slot);
                var left = row.members().stream()
                        .filter(member -> !gone.contains(member.drive()))
                        .toList();
                if (row.members().stream().map(Member::drive).anyMatch(drives::contains)
                        || row.fence().stream().anyMatch(drives::contains)) {
                    named.add(new Named(group, slot, row, left));
                }
            }
        });
        return named;
    }

    private static ObjectNode shown(ClusterState state, Meant meant, List<Named> named) {
        var shown = JSON.createObjectNode().put("target", meant.target.value());
        var drives = shown.putArray("drives");
        new TreeSet<>(meant.drives).forEach(drives::add);
        var lost = named.stream().filter(Named::isLost).toList();
        shown.put("slots", named.size())
                .put("lost", lost.size())
                .put(
                        "lost_with_learner",
                        lost.stream().filter(each -> !each.left.isEmpty()).count())
                .put(
                        "waiting",
                        named.stream()
                                .filter(each -> !each.isLost())
                                .filter(each -> each.left.stream()
                                        .noneMatch(member -> member.inSync()
                                                && state.replication().usable(member.drive())))
                                .count());
        var buckets = shown.putArray("buckets");
        var groups = lost.stream().map(Named::group).collect(Collectors.toSet());
        state.buckets().buckets().values().stream()
                .filter(bucket -> groups.contains(bucket.group()))
                .map(Bucket::name)
                .sorted()
                .forEach(buckets::add);
        return shown;
    }

    /// An entry of its own: until it is in the log, nothing of what is meant may be given away.
    private ClusterState bar(Meant meant) {
        var after = control.apply(new Command.Forget(meant.target, meant.drive));
        if (!after.replication().forgotten().containsAll(meant.drives)) {
            throw new StoreException.Unavailable("%s came back meanwhile: nothing was forgotten"
                    .formatted(meant.drive.orElse(meant.target.value())));
        }
        return after;
    }

    /// @return how many slots still name what was forgotten
    private int giveAway(ClusterState barred, Meant meant, boolean accepted) {
        var state = barred;
        var named = named(state, meant.drives);
        for (int attempt = 1; attempt <= ATTEMPTS && !named.isEmpty(); attempt++) {
            var lost = accepted ? named.stream().filter(Named::isLost).toList() : List.<Named>of();
            state = control.apply(new Command.GiveAway(heirs(state, lost, attempt > ATTEMPTS / 2)));
            var left = named(state, meant.drives);
            if (lost.isEmpty() && left.size() == named.size()) {
                break; // nor would another entry have an effect
            }
            named = left;
        }
        return named.size();
    }

    // ---- who has most of a slot

    /// @param whoever whether those count that do not answer, as drives that have nothing
    private List<SlotDrive> heirs(ClusterState state, List<Named> lost, boolean whoever) {
        var heirs = new ArrayList<SlotDrive>();
        var asked = state.replication().drives().entries().keySet().stream()
                .filter(drive -> state.replication().usable(drive))
                .collect(Collectors.toUnmodifiableSet());
        var byGroup = lost.stream().collect(Collectors.groupingBy(Named::group));
        byGroup.forEach((group, slots) -> {
            for (int from = 0; from < slots.size(); from += AT_ONCE) {
                var some = slots.subList(from, Math.min(from + AT_ONCE, slots.size()));
                var rows = rows(state, group, some);
                for (var slot : some) {
                    var held = rows.getOrDefault(slot.slot, List.of());
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
    private Map<Integer, List<HeldRows>> rows(ClusterState state, int id, List<Named> lost) {
        var group = state.replication().group(id).orElseThrow();
        var buckets = state.buckets().buckets().values().stream()
                .filter(bucket -> bucket.group() == id)
                .map(Bucket::id)
                .collect(Collectors.toSet());
        var question = new SlotQuestion(
                group.hashes(),
                lost.stream().map(each -> group.firstHash(each.slot)).toList(),
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
    private static Optional<SlotDrive> heir(ClusterState state, Named lost, List<HeldRows> rows) {
        var replication = state.replication();
        var learners = lost.left.stream().map(Member::drive).collect(Collectors.toSet());
        var most = rows.stream()
                .filter(held -> held.rows() > 0 && state.replication().usable(held.drive()))
                .max(Comparator.comparing((HeldRows held) -> learners.contains(held.drive()))
                        .thenComparingLong(HeldRows::rows)
                        .thenComparing(HeldRows::drive))
                .map(HeldRows::drive);
        return most.or(() -> learners.stream()
                        .filter(drive -> state.replication().usable(drive))
                        .min(Comparator.naturalOrder()))
                .or(() -> anyDrive(state, lost.slot))
                .map(drive -> new SlotDrive(
                        lost.group,
                        lost.slot,
                        lost.row.epoch(),
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
