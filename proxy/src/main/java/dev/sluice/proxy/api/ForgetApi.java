package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.slots.DriveEntry;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.TargetEntry;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// `/v1/cluster`: gives up a target, or a drive, that will not come back. Its slots go to other drives.
public final class ForgetApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> VALUES = Set.of("id", "accept_data_loss", "dry_run");
    private static final int ATTEMPTS = 8;

    private final ControlPlane control;
    private final SlotHeirs heirs;

    public ForgetApi(ControlPlane control, TargetFanout targets) {
        this.control = control;
        this.heirs = new SlotHeirs(targets);
    }

    /// A target with all its drives, or one of them.
    ///
    /// @param barred whether they are forgotten already, and only their slots are still to be given away
    private record Meant(NodeId target, Optional<String> drive, Set<String> drives, boolean barred) {}

    /// A slot of which something is meant.
    record Named(Group of, int slot, SlotRow row, List<Member> left) {
        int group() {
            return of.id();
        }

        /// Nobody has every acknowledged write.
        boolean isLost() {
            return SlotRow.firstInSync(left).isEmpty();
        }

        /// Somebody knows every acknowledged write, but too few slices are left of them.
        boolean isUnreadable() {
            return !isLost() && of.count(left) < of.data();
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
        long lost = count(named, Named::isLost);
        long unreadable = count(named, Named::isUnreadable);
        boolean accepted = value.path("accept_data_loss").asBoolean(false);
        if (lost + unreadable > 0 && !accepted) {
            throw new StoreException.InvalidArgument(
                    "%d slots would lose the last replica that has every acknowledged write, and %d would have too few slices to read their objects. Bring it back, or accept that with --accept-data-loss"
                            .formatted(lost, unreadable));
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
                    named.add(new Named(state.replication().group(group).orElseThrow(), slot, row, left));
                }
            }
        });
        return named;
    }

    private static long count(List<Named> named, Predicate<Named> such) {
        return named.stream().filter(such).count();
    }

    private static ObjectNode shown(ClusterState state, Meant meant, List<Named> named) {
        var shown = JSON.createObjectNode().put("target", meant.target.value());
        var drives = shown.putArray("drives");
        new TreeSet<>(meant.drives).forEach(drives::add);
        shown.put("slots", named.size())
                .put("lost", count(named, Named::isLost))
                .put("unreadable", count(named, Named::isUnreadable))
                .put("lost_with_learner", count(named, each -> each.isLost() && !each.left.isEmpty()))
                .put(
                        "waiting",
                        count(
                                named,
                                each -> !each.isLost()
                                        && each.left.stream()
                                                .noneMatch(member -> member.inSync()
                                                        && state.replication().usable(member.drive()))));
        var buckets = shown.putArray("buckets");
        var groups = named.stream()
                .filter(each -> each.isLost() || each.isUnreadable())
                .map(Named::group)
                .collect(Collectors.toSet());
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
            state = control.apply(new Command.GiveAway(heirs.of(state, lost, attempt > ATTEMPTS / 2)));
            var left = named(state, meant.drives);
            if (lost.isEmpty() && left.size() == named.size()) {
                break; // nor would another entry have an effect
            }
            named = left;
        }
        return named.size();
    }
}
