package dev.sluice.common.cluster.planning;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.BucketTable;
import dev.sluice.common.cluster.Change;
import dev.sluice.common.cluster.ClusterMap;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.jobs.Job;
import dev.sluice.common.jobs.JobTable;
import dev.sluice.common.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What a command does to the cluster's state: a pure function of the state, the command and what the controller that
/// plans knows. All others apply the [Change].
public final class Planner {
    /// Each member of a slot has whole objects.

    private final ClusterState state;
    private final BucketTable buckets;
    private final PlanningFacts facts;

    private Planner(ClusterState state, PlanningFacts facts) {
        this.state = state;
        this.buckets = state.buckets();
        this.facts = facts;
    }

    /// The effects of a command as the log keeps them; empty when it has none.
    ///
    /// @throws StoreException when the command cannot be applied
    public static Optional<Change> plan(ClusterState state, Command command, PlanningFacts facts) {
        var next = next(state, command, facts);
        return next.version() == state.version() ? Optional.empty() : Optional.of(Change.between(state, next));
    }

    /// The state after a command; the same object, or one of the same version, when it has no effect.
    ///
    /// @throws StoreException when the command cannot be applied
    public static ClusterState next(ClusterState state, Command command, PlanningFacts facts) {
        return new Planner(state, facts).next(command);
    }

    /// The state after commands, one after the other, for a planner that knows nothing besides it.
    ///
    /// @throws StoreException when one of them cannot be applied
    public static ClusterState next(ClusterState state, Command... commands) {
        var next = state;
        for (var command : commands) {
            next = next(next, command, PlanningFacts.KNOWS_NOTHING);
        }
        return next;
    }

    private ClusterState next(Command command) {
        return switch (command) {
            case Command.Join(var node) -> join(node);
            case Command.CreateBucket(var name, var now, var properties) -> {
                if (buckets.find(name).isPresent()) {
                    throw new StoreException.BucketExists(name);
                }
                if (!buckets.isFree(name, state.replication()::usable)) {
                    throw new StoreException.Unavailable(
                            "a bucket %s was deleted, and not every target that is up has dropped it yet"
                                    .formatted(name));
                }
                yield create(name, now, properties);
            }
            case Command.SetBucketProperties(var name, var id, var expected, var properties) ->
                same(name, id)
                        .filter(bucket -> bucket.properties().equals(expected) && !properties.equals(expected))
                        .filter(_ -> properties.replicatesAs(expected))
                        .map(bucket -> with(buckets.with(bucket.with(properties))))
                        .orElse(state);
            case Command.SetReplication(var name, var id, var deletion, var expected, var properties) ->
                same(name, id)
                        .filter(bucket -> bucket.deleting() && bucket.deletion() == deletion)
                        .filter(bucket -> bucket.properties().equals(expected))
                        .map(bucket -> replicating(bucket, properties))
                        .orElse(state);
            case Command.MarkDeleting(var name) -> {
                var bucket = existing(name);
                yield bucket.deleting() ? state : with(buckets.with(bucket.withDeletion(state.version() + 1)));
            }
            case Command.KeepBucket(var name, var id) ->
                same(name, id)
                        .map(bucket -> with(buckets.with(bucket.withDeletion(0))))
                        .orElse(state);
            case Command.RemoveBucket(var name, var id, var deletion) ->
                same(name, id)
                        .filter(bucket -> bucket.deleting() && bucket.deletion() == deletion)
                        .map(bucket -> with(buckets.removing(bucket, knownDrives())))
                        .orElse(state);
            case Command.DroppedBuckets(var drives, var upTo) -> {
                var after = buckets.dropped(drives, upTo);
                yield after.equals(buckets) ? state : with(after);
            }
            case Command.JobCommand job -> with(changed(job));
            case Command.SlotCommand slots -> slots(slots);
        };
    }

    // ---- drives

    private ClusterState slots(Command.SlotCommand command) {
        var named = switch (command) {
            case Command.Register register -> register.drives();
            case Command.DriveIn in -> List.of(in.drive());
            default -> List.<Command.RegisteredDrive>of();
        };
        named.forEach(this::requireDropped);
        var after = SlotPlanner.plan(state, command, facts);
        var table = droppedBy(command, named, after);
        return table.equals(buckets) ? with(after) : next(state.map(), table, after, state.jobs());
    }

    private void requireDropped(Command.RegisteredDrive drive) {
        if (!isForgotten(drive) && buckets.isBehindANewBucket(drive.dropped())) {
            throw new StoreException.Unavailable(
                    "drive %s has dropped deleted buckets up to removal %d; a new bucket has the name of a later one"
                            .formatted(drive.id(), drive.dropped()));
        }
    }

    private boolean isForgotten(Command.RegisteredDrive drive) {
        return state.replication().forgotten().contains(drive.id());
    }

    private BucketTable droppedBy(Command.SlotCommand command, List<Command.RegisteredDrive> named, Replication after) {
        if (command instanceof Command.Forget) {
            return buckets.forgetting(after.forgotten());
        }
        var table = buckets;
        for (var drive : named) {
            boolean isIn = after.drives().entries().containsKey(drive.id()) && !isForgotten(drive);
            table = isIn ? table.registering(drive.id(), drive.dropped()) : table;
        }
        return table;
    }

    private Set<String> knownDrives() {
        var known = new TreeSet<>(state.replication().drives().entries().keySet());
        known.removeAll(state.replication().forgotten());
        return known;
    }

    private ClusterState join(Node node) {
        var known = state.map().nodes().get(node.id());
        if (node.equals(known)) {
            return state;
        }
        if (known != null && (known.role() != node.role() || known.weight() != node.weight())) {
            throw new StoreException.InvalidArgument("%s is in the cluster as a %s of weight %s, not a %s of weight %s"
                    .formatted(node.id(), known.role(), known.weight(), node.role(), node.weight()));
        }
        if (node.role() == Role.TARGET && !state.members().contains(node.id())) {
            throw new StoreException.InvalidArgument(
                    node.id() + " is not one of the targets this cluster is made of: " + state.members());
        }
        return next(state.map().with(node), buckets, state.replication(), state.jobs());
    }

    // ---- buckets

    private ClusterState create(String name, long nowMillis, BucketProperties properties) {
        var grouped = grouped(properties);
        return with(buckets.adding(name, nowMillis, properties, group(grouped, properties)), grouped);
    }

    /// Of a bucket that is marked for deletion and empty; it is kept.
    private ClusterState replicating(Bucket bucket, BucketProperties properties) {
        if (bucket.replicated() && properties.replicas() == 1) {
            // a drive that is away may come back with objects that were deleted, and nobody would compare them
            throw new StoreException.InvalidArgument(
                    "a bucket with replicas cannot become one without; create another bucket");
        }
        var grouped = grouped(properties);
        var changed =
                bucket.with(properties).withGroup(group(grouped, properties)).withDeletion(0);
        return with(buckets.with(changed), grouped);
    }

    private Replication grouped(BucketProperties properties) {
        return properties.replicas() == 1
                ? state.replication()
                : NewGroup.in(
                        state,
                        properties.replicas(),
                        properties.data(),
                        properties.durability(),
                        facts.slots(state.members().size(), properties.data() > 1));
    }

    private static int group(Replication grouped, BucketProperties properties) {
        return properties.replicas() == 1
                ? 0
                : grouped.group(properties.replicas(), properties.data(), properties.durability())
                        .orElseThrow()
                        .id();
    }

    private Bucket existing(String name) {
        return buckets.find(name).orElseThrow(() -> new StoreException.NoSuchBucket(name));
    }

    private Optional<Bucket> same(String name, long id) {
        return buckets.find(name).filter(bucket -> bucket.id() == id);
    }

    // ---- jobs

    private JobTable changed(Command.JobCommand command) {
        var jobs = state.jobs();
        return switch (command) {
            case Command.StartJob(var id, var spec, var author, var now) -> {
                var _ = same(spec.bucket(), spec.bucketId())
                        .orElseThrow(() -> new StoreException.NoSuchBucket(spec.bucket()));
                yield jobs.starting(Job.started(id, spec, author, now));
            }
            case Command.EndJobPart(var id, var target, var part, var now) ->
                jobs.partEnded(
                        id,
                        target,
                        part,
                        state.map().targets().stream().map(Node::id).collect(Collectors.toSet()),
                        now);
            case Command.MoveJob(var id, var target, var position) -> jobs.moved(id, target, position);
            case Command.StopJob(var id, var parts, var now) -> jobs.stopping(id, parts, now);
        };
    }

    // ---- the next state

    private ClusterState with(BucketTable changed) {
        return with(changed, state.replication());
    }

    private ClusterState with(BucketTable changed, Replication grouped) {
        return next(state.map(), changed, grouped, state.jobs());
    }

    @SuppressWarnings("ReferenceEquality") // the same object when nothing changed
    private ClusterState with(Replication changed) {
        return changed == state.replication() ? state : next(state.map(), buckets, changed, state.jobs());
    }

    private ClusterState with(JobTable changed) {
        return changed.equals(state.jobs()) ? state : next(state.map(), buckets, state.replication(), changed);
    }

    private ClusterState next(ClusterMap map, BucketTable changed, Replication replication, JobTable jobs) {
        return new ClusterState(
                state.version() + 1,
                state.clusterId(),
                state.members(),
                map,
                changed,
                state.credentials(),
                replication,
                jobs);
    }
}
