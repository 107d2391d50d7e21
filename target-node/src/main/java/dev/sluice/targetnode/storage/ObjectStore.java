package dev.sluice.targetnode.storage;

import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.change.KeyLocks;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.copies.KeyMover;
import dev.sluice.targetnode.storage.copies.LocalWriter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.eviction.CachedBuckets;
import dev.sluice.targetnode.storage.eviction.EvictionStats;
import dev.sluice.targetnode.storage.eviction.Evictor;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.DriveWatch;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.resilver.Mover;
import dev.sluice.targetnode.storage.resilver.Resilver;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.resilver.Surroundings;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.scrub.Repair;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import dev.sluice.targetnode.storage.slots.CommitExtras;
import dev.sluice.targetnode.storage.slots.KeyReads;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The objects of one target on its drives. Everything that finds or changes something blocks, and is for
/// virtual threads.
///
/// Says 503 ([StoreException.Unavailable]) rather than "there is none" while a drive cannot know, and
/// [Lookup.Damaged] rather than wrong bytes.
public final class ObjectStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);
    private static final long LARGEST_MARGIN = 1L << 30;

    private final StoreConfig config;
    private final DrivePool opened;
    private final Drives drives;
    private final Mountpaths mountpaths;
    private final HotSet hotSet;
    private final Versions versions;
    private final KeyCommitter committer;
    private final KeyMover mover;
    private final Multipart multipart;
    private final StayingKeys staying = new StayingKeys();
    private final Settlement settlement;
    private volatile Map<String, Evictor> evictors = Map.of();
    private final KeyReads reads;
    private final LocalWriter local;
    private volatile SlotWriter rows = SlotWriter.NONE;

    private ObjectStore(StoreConfig config, DrivePool opened, HotSet hotSet, Versions versions) {
        this.config = config;
        this.opened = opened;
        this.drives = new Drives(opened::slots, opened::table);
        this.mountpaths = new Mountpaths(opened, staying);
        this.hotSet = hotSet;
        this.versions = versions;
        this.committer = new KeyCommitter(drives, hotSet, versions);
        this.mover = new KeyMover(drives, committer, config.smallLimit());
        this.reads = new KeyReads(hotSet, committer.publishing());
        this.local = new LocalWriter(drives, committer, mover, reads);
        this.multipart = new Multipart(drives, versions, this::writer, this::adopt, this::divide);
        this.settlement = new Settlement(drives, mountpaths, mover, staying);
    }

    /// Attaches the drives and repairs what a crash left. A drive whose index must be rebuilt is not serving at once.
    ///
    /// @throws dev.sluice.targetnode.storage.attach.DriveRefusedException with one line for the operator
    public static ObjectStore open(StoreConfig config) throws IOException {
        return open(config, Seams.NONE, HealthSettings.DEFAULTS);
    }

    /// @param healthCheckInterval how often each drive is checked
    public static ObjectStore open(StoreConfig config, Duration healthCheckInterval) throws IOException {
        return open(config, Seams.NONE, HealthSettings.every(healthCheckInterval));
    }

    /// @param seam around each drive's files, for tests to put faults there
    static ObjectStore open(StoreConfig config, UnaryOperator<DriveFiles> seam) throws IOException {
        return open(
                config, new Seams((_, files) -> seam.apply(files), UnaryOperator.identity()), HealthSettings.DEFAULTS);
    }

    static ObjectStore open(StoreConfig config, Seams seams, HealthSettings health) throws IOException {
        var hotSet = new HotSet(config.hotFiles(), config.hotMemory(), config.verifiedFor());
        var versions = new Versions();
        var opened = DrivePool.open(config, seams, health, versions, hotSet::invalidateDrive);
        var store = new ObjectStore(config, opened, hotSet, versions);
        boolean started = false;
        try {
            opened.whenStarting(store::lookForNotes);
            opened.start();
            started = true;
            return store;
        } finally {
            if (!started) {
                store.close();
            }
        }
    }

    /// A crash may have come between the drives of a change. On a drive thread, before the drive serves.
    private void lookForNotes(Drive drive) throws IOException {
        if (drive.marks().hasNotes()) {
            drives.crashed();
        }
    }

    /// Whether every drive has been opened, or will not be for now. A drive that goes out later, or comes back, does
    /// not change that: the others serve.
    public boolean ready() {
        return opened.watches().stream().allMatch(DriveWatch::begun);
    }

    /// Whether no write of this target's life before may still reach a cloud: it made none, or was stopped in order.
    public boolean startedSettled() {
        return opened.startedSettled();
    }

    /// @param is whether no write may still reach a cloud; asked when the store is closed, must not block
    public void settledWhen(BooleanSupplier is) {
        opened.set().settledWhen(is);
    }

    /// Before a write of the cloud: another life of this target must know of it. Durable when it returns, on the drives
    /// of the key.
    public void noteCloudWrite(BucketRef bucket, String key) {
        for (var drive : drives.of(bucket, key).toWrite()) {
            if (!opened.set().isNoted(drive.id())) {
                boolean _ = drive.call(() -> {
                    opened.set().noteCloudWrite(drive.id(), opened.path(drive.id()));
                    return true;
                });
            }
        }
    }

    Mover mover() {
        return mover;
    }

    Settlement settlement() {
        return settlement;
    }

    DriveTable table() {
        return drives.table();
    }

    /// From now on, objects of replicated buckets are changed and found by this.
    public void replicate(SlotWriter by) {
        rows = by;
    }

    /// Who finds and changes objects of a bucket.
    public SlotWriter writer(BucketRef bucket) {
        return bucket.replicated() ? rows : local;
    }

    /// See [SlotWriter#serving].
    public SlotWriter.Serving serving(BucketRef bucket, String key) {
        return writer(bucket).serving(bucket, key);
    }

    /// What opens objects on the drives.
    public KeyReads reads() {
        return reads;
    }

    /// Up to which size objects are kept in their intents.
    public int smallLimit() {
        return config.smallLimit();
    }

    public Versions versions() {
        return versions;
    }

    public Drives drives() {
        return drives;
    }

    /// Readers that go to a drive, and changes of what they may find, keep each other out by these.
    public KeyLocks publishing() {
        return committer.publishing();
    }

    /// The drives, for operators.
    public Mountpaths mountpaths() {
        return mountpaths;
    }

    public Multipart multipart() {
        return multipart;
    }

    public HotSet hotSet() {
        return hotSet;
    }

    /// An object that is open and unchanged since it was verified. Never blocks: for event loops.
    public Optional<StoredObject> hot(long bucketId, String key) {
        return hotSet.get(new ObjectKey(bucketId, key));
    }

    /// The cloud has the same version of a cached object; kept without a sync. For many objects one after the other.
    ///
    /// @param millis when the cloud was asked, since 1970
    public void agreed(BucketRef bucket, String key, ObjectVersion version, long millis) {
        var name = new ObjectKey(bucket.id(), key);
        hotSet.agreed(name, version, millis);
        try {
            drives.of(bucket, key).toWrite().forEach(drive -> agreed(drive, name, version, millis));
        } catch (StoreException notNow) {
            LOG.debug("the cloud will be asked for {} once more: {}", key, notNow.getMessage());
        }
    }

    private static void agreed(Drive drive, ObjectKey name, ObjectVersion version, long millis) {
        if (!drive.agreements().agreed(name, version, millis)) {
            boolean _ = drive.call(() -> {
                drive.agreements().flush();
                return drive.agreements().agreed(name, version, millis);
            });
        }
    }

    public Lookup lookup(BucketRef bucket, String key) {
        return lookup(bucket, key, Set.of());
    }

    /// @param avoid ids of drives whose copies were found bad
    public Lookup lookup(BucketRef bucket, String key, Set<String> avoid) {
        return serving(bucket, key).look(avoid);
    }

    /// See [SlotWriter#mend].
    public boolean mend(BucketRef bucket, String key, String drive) {
        return writer(bucket).mend(bucket, key, drive);
    }

    /// Begins an object. To be ended by commit or close.
    ///
    /// @param expectedLength -1 when it is not known
    /// @throws StoreException.NoSpace when a drive has no room for it
    public Upload begin(BucketRef bucket, String key, long expectedLength, Durability durability) {
        IndexKeys.utf8(key);
        adopt(bucket);
        boolean inOneStep = expectedLength >= 0 && expectedLength <= config.smallLimit();
        var serving = serving(bucket, key);
        boolean begun = false;
        try {
            for (var drive : serving.drives()) {
                if (!inOneStep) {
                    drive.requireRoom();
                }
                drive.space().requireFits(Upload.staged(bucket, Math.max(0, expectedLength)));
            }
            var work = Layout.work(versions.next());
            var upload = new Upload(serving, work, bucket, key, expectedLength, inOneStep, durability);
            upload.announce();
            begun = true;
            return upload;
        } finally {
            if (!begun) {
                serving.close();
            }
        }
    }

    /// Of an upload's parts, where members have slices.
    private ObjectRecord divide(
            BucketRef bucket,
            UploadState from,
            long size,
            Consumer<Consumer<ByteBuffer>> bytes,
            CommitTerms terms,
            CommitExtras extras,
            Multipart.Committing committing) {
        try (var upload = begin(bucket, from.key(), size, Durability.FSYNC)) {
            upload.createdAt(from.createdMillis());
            bytes.accept(upload::writePatiently);
            return committing.run(() -> upload.commit(terms, extras));
        }
    }

    /// How many bytes the drives of a key take before one of them evicts, less a margin for what else comes at the same
    /// time; negative near and above a high watermark.
    ///
    /// @throws StoreException.Unavailable when one takes no writes
    public long roomBeforeEviction(BucketRef bucket, String key) {
        adopt(bucket);
        return drives.of(bucket, key).toWrite().stream()
                .mapToLong(drive ->
                        drive.space().beforeEviction() - margin(drive.space().total()))
                .min()
                .orElse(0);
    }

    /// For index files that are rewritten, folders that grow, and readers' fetches.
    private static long margin(long total) {
        return Math.min(total / 200, LARGEST_MARGIN);
    }

    /// The ids of those that serve.
    public Set<String> servingDrives() {
        return drives.serving().stream().map(Drive::id).collect(Collectors.toUnmodifiableSet());
    }

    /// How many requests wait for a drive, besides those that a job of so many at once may have in its queues.
    public int waiting(int own) {
        var serving = drives.serving();
        int running = serving.stream().mapToInt(Drive::threads).sum();
        return serving.stream().mapToInt(Drive::waiting).sum() - Math.max(0, own - running);
    }

    /// From now on, writes make as many copies as the bucket is to have; objects of before get them soon. Does nothing
    /// for a replicated bucket.
    public void adopt(BucketRef bucket) {
        if (!bucket.isLocal() || drives.table().copies(bucket.id()).wanted() == bucket.copies()) {
            return;
        }
        var done = drives.alone(
                () -> opened.change(table -> table.copying(bucket.id(), bucket.copies(), isSurelyEmpty(bucket.id()))));
        if (done.isEmpty()) {
            opened.change(table -> table.copying(bucket.id(), bucket.copies(), false));
        }
    }

    private boolean isSurelyEmpty(long bucketId) {
        try {
            return isEmpty(bucketId);
        } catch (StoreException.Unavailable _) {
            return false; // some of it may be on drives that are not there
        }
    }

    /// @return whether there was one
    public boolean delete(BucketRef bucket, String key, WriteCheck check, Durability durability) {
        return serving(bucket, key).delete(check, durability);
    }

    /// Keys in the order of their UTF-8 bytes, greater than `after` and beginning with `prefix`.
    public List<ListEntry> list(long bucketId, String prefix, String after, int limit) {
        return list(bucketId, new ListQuery(prefix, "", after.isEmpty() ? "" : KeyOrder.justAfter(after), limit));
    }

    /// Keys in the order of their UTF-8 bytes, of a bucket that this target alone has on its drives.
    public List<ListEntry> list(long bucketId, ListQuery query) {
        return local.list(bucketId, query).entries();
    }

    /// Whether nothing of such a bucket is stored here, not even an unfinished upload.
    public boolean isEmpty(long bucketId) {
        return local.isEmpty(bucketId, true);
    }

    /// Takes away all of a bucket. Its id must never be used again; its name may.
    public void dropBucket(BucketRef bucket) {
        drives.allToWrite().forEach(drive -> dropBucket(bucket, drive));
    }

    /// From one drive.
    public void dropBucket(BucketRef bucket, Drive drive) {
        drive.alone(() -> drive.store().drop(bucket));
        hotSet.invalidateBucket(bucket.id());
        if (drives.table().copies().containsKey(bucket.id())) {
            opened.change(table -> table.dropping(bucket.id()));
        }
    }

    /// How much buckets and objects take here.
    public BucketBytes bucketBytes() {
        return new BucketBytes(drives, this::writer);
    }

    /// Begins to scrub its drives; to be closed before this.
    public Scrubs scrubs(ScrubSettings settings, KnownBuckets buckets, Repair repair) {
        var scrubs = Scrubs.of(committer, settings, buckets, repair);
        follow(slots -> scrubs.use(slots.stream()
                .map(slot -> new Scrubs.Member(
                        slot.id(), slot.path().toString(), () -> toScrub(slot), () -> isDisabled(slot)))
                .toList()));
        return scrubs;
    }

    /// Begins to bring keys to where they belong; to be closed before this.
    public Resilver resilver(ResilverSettings settings, KnownBuckets buckets) {
        staying.know(buckets);
        return Resilver.start(surroundings(), mover, settlement, buckets, settings);
    }

    private Surroundings surroundings() {
        return new Surroundings() {
            @Override
            public DriveTable table() {
                return drives.table();
            }

            @Override
            public Map<String, Drive> readable() {
                var readable = new HashMap<String, Drive>();
                drives.reading().forEach(drive -> readable.put(drive.id(), drive));
                return readable;
            }
        };
    }

    /// From now on, a drive that is detached stays while the cluster's state is on it.
    public void keepWhile(Predicate<String> stateIsOn) {
        settlement.keepWhile(stateIsOn);
    }

    /// @param follower told which drives the target has, now and whenever that changes; before a drive that leaves
    ///     is closed
    public void follow(Consumer<List<DriveSlot>> follower) {
        opened.follow(follower);
    }

    private static boolean isDisabled(DriveSlot slot) {
        return slot.status().state() == DriveState.DISABLED;
    }

    /// Not while it is only read: where a scrub stands could not be stored.
    private static Drive toScrub(DriveSlot slot) {
        var status = slot.status();
        if (!status.state().writes()) {
            var reason = status.reason().isEmpty() ? "" : ": " + status.reason();
            throw new StoreException.Unavailable("the drive is " + status.state() + reason);
        }
        return slot.toWrite();
    }

    /// From now on, drives that are too full evict copies of these buckets' objects. To be called once.
    public void evict(CachedBuckets buckets) {
        follow(slots -> useEvictors(slots, buckets));
        opened.whenKnown(() -> evictors.values().forEach(Evictor::adopt));
    }

    private synchronized void useEvictors(List<DriveSlot> slots, CachedBuckets buckets) {
        var before = new HashMap<>(evictors);
        var now = new TreeMap<String, Evictor>();
        for (var slot : slots) {
            var evictor = before.remove(slot.id());
            now.put(slot.id(), evictor == null ? new Evictor(slot, committer, buckets) : evictor);
        }
        evictors = now;
        before.values().forEach(Evictor::close);
    }

    public List<EvictionStats> evictions() {
        return evictors.values().stream().map(Evictor::stats).toList();
    }

    /// Ids of the drives that have no room for new learners.
    public Set<String> fullDrives() {
        return opened.slots().stream()
                .filter(slot ->
                        slot.writable().filter(drive -> drive.space().isFull()).isPresent())
                .map(DriveSlot::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    public List<DriveStats> stats() {
        var stats = new ArrayList<DriveStats>();
        var table = opened.table();
        for (var slot : opened.slots()) {
            var member = table.members().get(slot.id());
            if (member == null) {
                continue; // it comes or goes just now
            }
            var drive = slot.open();
            stats.add(new DriveStats(
                    slot.id(),
                    member.path(),
                    member.weight(),
                    member.leaving(),
                    slot.status(),
                    slot.totals().objects(),
                    slot.totals().bytes(),
                    drive.map(open -> open.space().free()).orElse(0L),
                    drive.filter(open -> open.space().isFull()).isPresent(),
                    drive.map(Drive::waiting).orElse(0),
                    drive.map(Drive::waitingBytes).orElse(0L),
                    drive.map(Drive::unsettled).orElse(0),
                    slot.errors(),
                    slot.latestError(),
                    slot.probes()));
        }
        return stats;
    }

    @Override
    public void close() {
        mover.close();
        evictors.values().forEach(Evictor::close);
        hotSet.close();
        mountpaths.close();
        opened.close();
    }
}
