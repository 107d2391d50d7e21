package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.ReplicaService;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.loop.ClientWrites;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Lease;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.ReplicaCounts;
import dev.sluice.targetnode.replica.loop.SlotPages;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.loop.WaitingBatches;
import dev.sluice.targetnode.replica.membership.DriveArrivals;
import dev.sluice.targetnode.replica.membership.FollowedState;
import dev.sluice.targetnode.replica.membership.FormerReplicas;
import dev.sluice.targetnode.replica.membership.GroupSlots;
import dev.sluice.targetnode.replica.membership.LoopWatch;
import dev.sluice.targetnode.replica.membership.Membership;
import dev.sluice.targetnode.replica.membership.OwnDrives;
import dev.sluice.targetnode.replica.membership.Pings;
import dev.sluice.targetnode.replica.membership.Proposer;
import dev.sluice.targetnode.replica.membership.StateFeed;
import dev.sluice.targetnode.replica.membership.TemporaryLearners;
import dev.sluice.targetnode.replica.membership.UnreachableMembers;
import dev.sluice.targetnode.replica.membership.WritableDrives;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.replica.slices.CellBudget;
import dev.sluice.targetnode.replica.slices.GatheredObject;
import dev.sluice.targetnode.replica.slices.SliceSources;
import dev.sluice.targetnode.replica.transfer.ArrivingObjects;
import dev.sluice.targetnode.replica.transfer.ContentAnswers;
import dev.sluice.targetnode.replica.transfer.ContentTransfer;
import dev.sluice.targetnode.replica.transfer.DamagedReplicas;
import dev.sluice.targetnode.replica.transfer.HttpTargets;
import dev.sluice.targetnode.replica.transfer.Messages;
import dev.sluice.targetnode.replica.transfer.PulledRows;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Replication on one target: one loop a drive, which runs the protocol's core of each slot, and what connects them:
/// the controllers' rows in, messages to and from other targets, changes of the drives, clients' reads and writes.
/// Begins when the target has registered; until then nothing of a replicated bucket is answered.
public final class Replicator implements ReplicaService, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replicator.class);

    /// Who answered a ping within so long is heard.
    private static final Duration HEARD = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(400);

    private final NodeId self;
    private final ObjectStore store;
    private final NanoClock clock;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Staging staging = new Staging();
    private final Map<Integer, GroupSlots> groups = new ConcurrentHashMap<>();
    private final Map<String, DriveReplicas> loops = new ConcurrentHashMap<>();
    private final Map<DriveReplicas, FormerReplicas> former = new ConcurrentHashMap<>();
    private final Duration purgeAfter;
    private final AtomicLong purged = new AtomicLong();
    private final ClientWrites writes;
    private final LocalChanges changes;
    private final Messages messages;
    private final ContentTransfer transfer;
    private final PulledRows pulledRows;
    private final CellBudget cells = new CellBudget(Runtime.getRuntime().maxMemory() / 4);
    private final RowWriter.Gathering gathering;
    private final DamagedReplicas damaged;
    private final ArrivingObjects arriving;
    private final ContentAnswers answers;
    private final Proposer proposer;
    private final StateFeed feed;
    private final FollowedState followed;
    private final OwnDrives drives;
    private final ReplicaPeers targets;
    private final ReplicaCounts counts;
    private final WaitingBatches batches;
    private final ExecutorService pingThreads = Executors.newCachedThreadPool(
            Thread.ofPlatform().name("ping-", 0).daemon().factory());
    private final Pings pings;
    private final Membership membership;
    private final WritableDrives writable;
    private final UnreachableMembers cutMembers;
    private final Thread looks;
    private final LoopWatch loopWatch;
    private volatile boolean closed;

    private Replicator(
            NodeId self,
            ObjectStore store,
            ControlPlane control,
            ReplicaPeers targets,
            DriveArrivals.Dropping dropping,
            NanoClock clock,
            Duration purgeAfter) {
        this.purgeAfter = purgeAfter;
        this.self = self;
        this.store = store;
        this.clock = clock;
        this.proposer = new Proposer(control, this::askDrives);
        this.followed = new FollowedState(new TemporaryLearners(clock::nanos), proposer);
        this.writes = new ClientWrites(staging, this::primary);
        this.changes = new LocalChanges(
                store, staging, id -> followed.shown().flatMap(known -> known.bucket(id)), writes::refused, threads);
        var parts = new ReplicaParts(self, targets, store, staging, this::loop, followed::shown, threads);
        this.messages = new Messages(parts, writes);
        this.transfer = new ContentTransfer(parts);
        this.pulledRows = new PulledRows(parts, transfer, proposer::add);
        this.gathering = (bucket, name, record, drive) -> new GatheredObject(
                new SliceSources(parts, bucket, name, record.version(), () -> mendLater(bucket, name.key(), drive)),
                record,
                threads,
                cells);
        messages.fetchBy(transfer);
        this.damaged = new DamagedReplicas(parts, transfer);
        this.arriving = new ArrivingObjects(messages);
        this.answers = new ContentAnswers(parts, writes, damaged, arriving);
        this.feed = new StateFeed(control, this::apply);
        this.drives =
                new OwnDrives(self, new DriveArrivals(store, dropping), control, loops, this::begin, proposer, threads);
        this.targets = targets;
        this.counts = new ReplicaCounts(
                loops::values,
                messages::lost,
                drives::standstills,
                damaged::mended,
                purged::get,
                pulledRows::bytes,
                pulledRows::stuck);
        this.batches = new WaitingBatches(clock::nanos);
        this.pings = new Pings(self, this::others, targets, clock, pingThreads);
        this.membership = new Membership(self, control, drives, loops, clock, () -> pings.heard(HEARD), this::begin);
        this.writable = new WritableDrives(self, membership, loops, this::othersUp, targets, threads);
        this.cutMembers = new UnreachableMembers(self, pings, writable, loops, followed::shown, proposer, clock);
        this.loopWatch = new LoopWatch(self, loops::values, this::standsStill);
        this.looks = Thread.ofVirtual().name("looks").unstarted(this::lookAgainAndAgain);
    }

    /// @param clock counts the time that the machine is suspended, too
    public static Replicator start(
            NodeId self,
            ObjectStore store,
            ControlPlane control,
            PeerClient peers,
            DriveArrivals.Dropping dropping,
            NanoClock clock) {
        return start(self, store, control, new HttpTargets(peers), dropping, clock, FormerReplicas.PATIENCE);
    }

    /// @param purgeAfter how long a drive has had no part in a slot when what it has of it goes
    public static Replicator start(
            NodeId self,
            ObjectStore store,
            ControlPlane control,
            ReplicaPeers targets,
            DriveArrivals.Dropping dropping,
            NanoClock clock,
            Duration purgeAfter) {
        var replicator = new Replicator(self, store, control, targets, dropping, clock, purgeAfter);
        replicator.membership.start();
        return replicator;
    }

    /// This process is this incarnation of the target from now on.
    private void begin(int incarnation) {
        store.versions().startAs(incarnation);
        store.replicate(new RowWriter(writes, store, gathering, this::served, this::row, damaged, arriving));
        feed.start();
        pings.start();
        looks.start();
        loopWatch.start();
    }

    private void mendLater(BucketRef bucket, String key, String drive) {
        damaged.mendLater(bucket, key, drive);
    }

    private void standsStill(DriveReplicas loop) {
        if (!drives.standsStill(loop)) {
            return;
        }
        writes.abandon(loop);
        try {
            drives.report(membership.incarnation());
        } catch (StoreException.Unavailable unknown) {
            LOG.debug("drive {} is reported later: {}", loop.id(), unknown.getMessage());
        }
    }

    private Collection<PeerAddress> others() {
        return followed.shown().stream()
                .flatMap(known -> known.state().map().nodes().values().stream())
                .filter(node -> node.role() == Role.TARGET && !node.id().equals(self))
                .map(PeerAddress::of)
                .toList();
    }

    private Collection<PeerAddress> othersUp() {
        var targets = followed.shown()
                .map(known -> known.state().replication().targets())
                .orElse(Collections.emptySortedMap());
        return others().stream()
                .filter(other -> targets.containsKey(other.id())
                        && targets.get(other.id()).up())
                .toList();
    }

    private CompletableFuture<Optional<Command.Answers>> askDrives() {
        return writable.ask();
    }

    private void lookAgainAndAgain() {
        while (!closed) {
            LockSupport.parkNanos(LOOK.toNanos());
            look("members that cannot be reached", cutMembers::look);
            look("rows of slots that drives left", () -> former.values().forEach(FormerReplicas::look));
            look("copies that no write wants", transfer::sweep);
        }
    }

    private static void look(String what, Runnable look) {
        try {
            look.run();
        } catch (RuntimeException bug) {
            LOG.error("{} were not looked for: a bug", what, bug);
        }
    }

    private DriveReplicas begin(Drive drive, int incarnation) {
        var pages = new SlotPages(drive, followed);
        var loop = new DriveReplicas(
                drive,
                incarnation,
                new Lease(clock::nanos),
                pages,
                () -> (int) store.versions().replicated(1).sequence(),
                this::run,
                this::ended);
        former.put(loop, new FormerReplicas(loop, followed::shown, clock::nanos, purgeAfter, purged::addAndGet));
        loop.start();
        return loop;
    }

    private void ended(DriveReplicas loop) {
        if (!closed) {
            LOG.warn("drive {} takes no part in replication for now", loop.id());
        }
        former.remove(loop);
        counts.ended(loop);
        drives.ended(loop);
        writes.abandon(loop);
        staging.ended(loop);
        transfer.ended(loop);
    }

    /// As the drive's loop does its own steps.
    void runOnLoop(String drive, Runnable step) {
        loop(drive).orElseThrow().run(step);
    }

    private Optional<DriveReplicas> loop(String drive) {
        return Optional.ofNullable(loops.get(drive));
    }

    // ---- what the controllers say

    /// Hands the rows that changed to the drives' loops. On the feed's thread, one state after the other.
    ///
    /// @return whether it is to be looked at again soon
    private boolean apply(ClusterState state) {
        if (state.replication().incarnation(self) != membership.incarnation()) {
            if (state.replication().incarnation(self) > membership.incarnation()) {
                LOG.error("another process of {} has registered: this one serves no replicated bucket", self);
            }
            return false;
        }
        return followed.follow(state, drives::follow, this::slots);
    }

    private GroupSlots slots(Group group) {
        return groups.computeIfAbsent(group.id(), _ -> new GroupSlots(group));
    }

    // ---- what cores want

    private void run(LocalReplica replica, List<Action> actions) {
        for (var action : actions) {
            switch (action) {
                case Action.Send send -> messages.send(replica, send);
                case Action.Pull pull -> pulledRows.begin(replica, pull);
                case Action.SendRow _ -> {} // whoever handed in the question answers it
                case Action.Propose(var proposal) -> proposer.add(replica.group(), replica.slot(), proposal);
                case Action.Accepted(var ticket, var version) -> writes.accepted(replica, ticket, version);
                case Action.Answer(var ticket, var outcome) ->
                    writes.answered(ticket, replica.loop().isClosed() ? Action.Outcome.UNKNOWN : outcome);
                case Action.Open _, Action.Close _ -> {} // each change of a row takes its hot entry away
                case Action.Local local -> changes.begin(replica, local);
            }
        }
    }

    // ---- what clients want

    private Optional<LocalReplica> primary(long bucketId, String key) {
        return followed.shown()
                .flatMap(known -> known.groupOf(bucketId))
                .flatMap(group -> slots(group).primary(bucketId, key));
    }

    private Optional<SlotRow> row(ObjectKey name) {
        return followed.shown()
                .flatMap(known -> known.groupOf(name.bucketId())
                        .flatMap(group -> known.row(group.id(), group.slotOf(name.bucketId(), name.key()))));
    }

    private GroupSlots.Served served(long bucketId) {
        return followed.shown()
                .flatMap(known -> known.groupOf(bucketId))
                .map(group -> slots(group).served())
                .orElseThrow(() -> new StoreException.Unavailable("this target does not know the bucket's slots yet"));
    }

    // ---- what other targets want

    @Override
    public void messages(NodeId from, byte[] batch) throws IOException {
        messages.take(from, batch);
    }

    @Override
    public Runnable arrived() {
        return batches.arrived();
    }

    @Override
    public SortedMap<String, Integer> writable() {
        return writable.here();
    }

    @Override
    public boolean ping(NodeId from) {
        pings.came(from);
        return !batches.isOneLate();
    }

    @Override
    public Response content(QueryParameters query) {
        return answers.answer(query);
    }

    /// Whether the controllers know of this process and its drives.
    public boolean hasRegistered() {
        return membership.incarnation() > 0;
    }

    /// Whether a drive of this target may serve its slots now.
    public boolean leased() {
        return loops.values().stream().anyMatch(DriveReplicas::leased);
    }

    /// How many bytes reads of slices have in memory.
    public long gatheringBytes() {
        return cells.used();
    }

    public ReplicaCounts counts() {
        return counts;
    }

    @Override
    public void close() {
        closed = true;
        membership.close();
        pings.close();
        looks.interrupt();
        loopWatch.close();
        feed.close();
        proposer.close();
        var ended = new HashMap<>(loops);
        ended.values().forEach(DriveReplicas::close);
        writes.close();
        messages.close();
        pulledRows.close();
        threads.shutdownNow();
        pingThreads.shutdownNow();
        targets.close();
    }
}
