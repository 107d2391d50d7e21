package dev.sluice.proxy;

import dev.sluice.common.cluster.BackendSpec;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.BackendCheck;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.DeleteOutcome;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ExpiryStatus;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.LiveJob;
import dev.sluice.common.peer.Mountpath;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerFailure;
import dev.sluice.common.peer.ReadCounts;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverFailure;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.peer.SlotCover;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.peer.TargetPage;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.peer.TargetUploads;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.UploadsQuery;
import dev.sluice.common.samples.SampleBatch;
import dev.sluice.common.samples.SampleStream;
import dev.sluice.common.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;

/// A target that keeps names only. It can be silent, as one that is down is.
final class MemoryTarget implements TargetService {
    private final String id;
    private final Map<Long, NavigableSet<String>> keys = new TreeMap<>();
    private final NavigableSet<String> cloud = new TreeSet<>();
    private final List<ObjectCall> calls = new ArrayList<>();
    private final Map<String, Mountpath> mountpaths = new TreeMap<>();
    private final List<ScrubCommand> scrubbed = new ArrayList<>();
    private final List<ResilverCommand> resilvered = new ArrayList<>();
    private List<LiveJob> jobs = List.of();
    private volatile boolean silent;
    private Optional<String> refusesBackends = Optional.empty();
    private Runnable whenAskedIfEmpty = () -> {};
    private Runnable whenListed = () -> {};
    private SlotCover cover = SlotCover.NONE;
    private final AtomicInteger listings = new AtomicInteger();

    MemoryTarget(String id) {
        this.id = id;
    }

    void hasDrive(String path) {
        mountpaths.put(path, mountpath(path, "online"));
    }

    void silence(boolean now) {
        silent = now;
    }

    void whenAskedIfEmpty(Runnable action) {
        whenAskedIfEmpty = action;
    }

    /// After each page of keys or uploads that it makes, before it answers.
    void whenListed(Runnable action) {
        whenListed = action;
    }

    /// How many pages of keys it was asked for, answered or not.
    int listings() {
        return listings.get();
    }

    /// The slots of a replicated bucket that it is the primary of, since this epoch.
    void serves(int count, IntPredicate slots, long since) {
        var served = SlotCover.NONE;
        for (int slot = 0; slot < count; slot++) {
            served = slots.test(slot) ? served.and(slot, since) : served;
        }
        cover = served;
    }

    NavigableSet<String> keys(long bucketId) {
        return keys.computeIfAbsent(bucketId, _ -> new TreeSet<>());
    }

    NavigableSet<String> cloud() {
        return cloud;
    }

    List<ObjectCall> calls() {
        return calls;
    }

    List<ScrubCommand> scrubbed() {
        return scrubbed;
    }

    /// What its configuration or the cloud says to every check.
    void refusesBackends(String why) {
        refusesBackends = Optional.of(why);
    }

    @Override
    public BackendCheck checkBackend(BackendSpec spec) {
        answer();
        return refusesBackends.map(BackendCheck::refused).orElseGet(BackendCheck::passed);
    }

    @Override
    public Answer object(ObjectCall call) {
        calls.add(call);
        return Response.text(200, "text/plain", id);
    }

    @Override
    public Answer objectOfAway(ObjectCall call) {
        calls.add(call);
        return Response.text(200, "text/plain", id + " past the primary");
    }

    @Override
    public SampleStream samples(SampleBatch batch) {
        throw new UnsupportedOperationException("it has no shards");
    }

    @Override
    public TargetPage list(Bucket bucket, ListQuery query) {
        listings.incrementAndGet();
        var page = new TargetPage(page(keys(bucket.id()), query, "here"), bucket.replicated() ? cover : SlotCover.NONE);
        whenListed.run();
        return page;
    }

    @Override
    public List<ListedObject> listCloud(Bucket bucket, ListQuery query) {
        return page(cloud, query, "cloud");
    }

    private List<ListedObject> page(NavigableSet<String> all, ListQuery query, String etag) {
        answer();
        return all.tailSet(query.from(), true).stream()
                .filter(key -> key.startsWith(query.prefix()))
                .limit(query.limit())
                .map(key -> new ListedObject(key, 1, etag, Instant.EPOCH))
                .toList();
    }

    @Override
    public TargetUploads listUploads(Bucket bucket, UploadsQuery query) {
        answer();
        whenListed.run();
        return new TargetUploads(List.of(), bucket.replicated() ? cover : SlotCover.NONE);
    }

    @Override
    public List<DeleteOutcome> delete(Bucket bucket, List<S3Request.Deletion> deletions, BooleanSupplier abandoned) {
        answer();
        return deletions.stream()
                .map(deletion -> new DeleteOutcome(deletion.key(), failure(bucket, deletion)))
                .toList();
    }

    /// Deletes it unless it has conditions: none of them holds.
    private Optional<PeerFailure> failure(Bucket bucket, S3Request.Deletion deletion) {
        try {
            deletion.conditions().check("", 0, Instant.EPOCH);
            keys(bucket.id()).remove(deletion.key());
            return Optional.empty();
        } catch (StoreException refused) {
            return Optional.of(PeerFailure.of(refused));
        }
    }

    @Override
    public boolean isEmpty(Bucket bucket, long stateVersion, boolean uploadsCount) {
        answer();
        whenAskedIfEmpty.run();
        return keys(bucket.id()).isEmpty();
    }

    /// Each name has ten bytes.
    @Override
    public List<HeldRows> held(SlotQuestion question) {
        answer();
        return List.of();
    }

    @Override
    public List<BucketUsage> usage(List<Long> bucketIds) {
        answer();
        return bucketIds.stream()
                .map(id -> new BucketUsage(id, keys(id).size(), 10L * keys(id).size(), 3, 0))
                .toList();
    }

    /// One miss of ten bytes for each name, in the last hour.
    @Override
    public ExpiryStatus expiry(long bucketId) {
        return new ExpiryStatus(1_795_000_000_000L, 2, 3, 0, Optional.empty());
    }

    @Override
    public RecentReads reads(long bucketId) {
        answer();
        int names = keys(bucketId).size();
        var read = new ReadCounts(3L * names, names, 40L * names, 10L * names);
        return new RecentReads(ReadCounts.NONE, read, read, 2);
    }

    @Override
    public List<Mountpath> mountpaths() {
        answer();
        return List.copyOf(mountpaths.values());
    }

    @Override
    public String changeMountpath(MountpathChange change, String which) {
        answer();
        if (change == MountpathChange.ATTACH) {
            mountpaths.put(which, mountpath(which, "online"));
            return which + " is attached";
        }
        var before = mountpaths.get(which);
        if (before == null) {
            throw new StoreException.InvalidArgument("no drive of this target is at " + which);
        }
        switch (change) {
            case ATTACH, ENABLE -> mountpaths.put(which, mountpath(which, "online"));
            case DISABLE -> mountpaths.put(which, mountpath(which, "disabled"));
            case DETACH -> mountpaths.put(which, new Mountpath(which, "d1", 1, true, "online", "", 0, 0, 0));
            case DETACH_LOST -> mountpaths.remove(which);
        }
        return change + " " + which;
    }

    private static Mountpath mountpath(String path, String state) {
        return new Mountpath(path, "d1", 1, false, state, "", 0, 0, 0);
    }

    @Override
    public List<DriveScrub> scrub(ScrubCommand command) {
        answer();
        if (command.drive().isPresent() && !command.drive().get().equals("/" + id)) {
            throw new StoreException.InvalidArgument("no such drive");
        }
        scrubbed.add(command);
        var state = command.action() == ScrubCommand.Action.START ? DriveScrub.State.RUNNING : DriveScrub.State.IDLE;
        var finding = new ScrubFinding(
                ScrubFinding.Kind.DAMAGED, ScrubFinding.Action.MARKED, "b", "k", "objects/b/k", "a block", 7);
        return List.of(new DriveScrub(
                "d" + id,
                "/" + id,
                state,
                Optional.empty(),
                1,
                2,
                3,
                4,
                5,
                Optional.of(6L),
                7,
                8,
                Optional.empty(),
                1,
                List.of(finding)));
    }

    @Override
    public ResilverStatus resilver(ResilverCommand command) {
        answer();
        resilvered.add(command);
        var state = switch (command) {
            case START -> ResilverStatus.State.RUNNING;
            case STOP -> ResilverStatus.State.STOPPED;
            case STATUS -> ResilverStatus.State.WAITING;
        };
        var failure = new ResilverFailure("b", "k", "no room", 7);
        return new ResilverStatus(
                state,
                false,
                Optional.of("uploads under way"),
                1,
                2,
                3,
                4,
                5,
                Optional.of(6L),
                7,
                8,
                1,
                List.of(failure));
    }

    List<ResilverCommand> resilvered() {
        return resilvered;
    }

    private void answer() {
        if (silent) {
            throw new StoreException.Unavailable(id + " does not answer");
        }
    }

    void tellsOfJobs(LiveJob... told) {
        jobs = List.of(told);
    }

    @Override
    public List<LiveJob> jobs(Optional<String> id) {
        answer();
        return jobs;
    }
}
