package dev.sluice.targetnode.storage;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.change.Versions;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.eviction.CachedBuckets;
import dev.sluice.targetnode.storage.eviction.EvictionStats;
import dev.sluice.targetnode.storage.eviction.Evictor;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.health.DriveSlot;
import dev.sluice.targetnode.storage.health.DriveWatch;
import dev.sluice.targetnode.storage.health.Drives;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.hotset.HotSet;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.scrub.Repair;
import dev.sluice.targetnode.storage.scrub.ScrubSettings;
import dev.sluice.targetnode.storage.scrub.Scrubs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// The objects of one target on its drives. Everything here blocks and is for virtual threads, but [#hot].
///
/// Says 503 ([StoreException.Unavailable]) rather than "there is none" while a drive cannot know, and
/// [Lookup.Damaged] rather than wrong bytes.
public final class ObjectStore implements AutoCloseable {
    private final StoreConfig config;
    private final OpenDrives opened;
    private final Drives drives;
    private final Mountpaths mountpaths;
    private final HotSet hotSet;
    private final Versions versions;
    private final Shelf shelf;
    private final Multipart multipart;
    private volatile List<Evictor> evictors = List.of();

    private ObjectStore(
            StoreConfig config, DrivePlacements placements, OpenDrives opened, HotSet hotSet, Versions versions) {
        this.config = config;
        this.opened = opened;
        this.drives = new Drives(opened.slots(), placements.among(opened.weights())::driveOf);
        this.mountpaths = new Mountpaths(opened);
        this.hotSet = hotSet;
        this.versions = versions;
        this.shelf = new Shelf(hotSet, versions);
        this.multipart = new Multipart(drives, shelf);
    }

    /// Attaches the drives and repairs what a crash left. A drive whose index must be made anew is not serving at
    /// once.
    ///
    /// @throws dev.sluice.targetnode.storage.attach.DriveRefusedException with one line for the operator
    public static ObjectStore open(StoreConfig config, DrivePlacements placements) throws IOException {
        return open(config, placements, Seams.NONE, HealthSettings.DEFAULTS);
    }

    /// @param seam around each drive's files, for tests to put faults there
    static ObjectStore open(StoreConfig config, DrivePlacements placements, UnaryOperator<DriveFiles> seam)
            throws IOException {
        return open(
                config,
                placements,
                new Seams((_, files) -> seam.apply(files), UnaryOperator.identity()),
                HealthSettings.DEFAULTS);
    }

    static ObjectStore open(StoreConfig config, DrivePlacements placements, Seams seams, HealthSettings health)
            throws IOException {
        var hotSet = new HotSet(config.hotFiles(), config.smallLimit(), config.verifiedFor());
        var versions = new Versions(config.epoch());
        var opened = OpenDrives.open(config, seams, health, versions, hotSet::invalidateDrive);
        var store = new ObjectStore(config, placements, opened, hotSet, versions);
        boolean started = false;
        try {
            opened.start();
            started = true;
            return store;
        } finally {
            if (!started) {
                store.close();
            }
        }
    }

    /// Whether every drive has been opened, or will not be for now. A drive that goes out later, or comes back, does
    /// not change that: the others serve.
    public boolean ready() {
        return opened.watches().stream().allMatch(DriveWatch::begun);
    }

    /// The drives, for operators.
    public Mountpaths mountpaths() {
        return mountpaths;
    }

    public Multipart multipart() {
        return multipart;
    }

    /// An object that is open and unchanged since it was verified. Never blocks: for event loops.
    public Optional<StoredObject> hot(long bucketId, String key) {
        return hotSet.get(new ObjectKey(bucketId, key));
    }

    public Lookup lookup(BucketRef bucket, String key) {
        var name = new ObjectKey(bucket.id(), key);
        var hot = hotSet.get(name);
        if (hot.isPresent()) {
            return new Lookup.Hit(hot.get());
        }
        var drive = drives.toRead(bucket.id(), key);
        try (var _ = shelf.publishing().lock(name)) {
            var loaded = hotSet.get(name);
            return loaded.isPresent()
                    ? new Lookup.Hit(loaded.get())
                    : drive.call(() -> switch (drive.contents().find(bucket, key)) {
                        case Found.Absent() -> new Lookup.Miss();
                        case Found.Damaged(var why) -> {
                            drive.requireThere();
                            yield new Lookup.Damaged(why);
                        }
                        case Found.Present(var record, var file) ->
                            new Lookup.Hit(hotSet.add(name, record, file, drive));
                    });
        } catch (StoreException.Damaged damaged) {
            return new Lookup.Damaged(String.valueOf(damaged.getMessage()));
        }
    }

    /// Begins an object. To be ended by commit or close.
    ///
    /// @param expectedLength -1 when it is not known
    /// @throws StoreException.NoSpace when the drive has no room for it
    public Upload begin(BucketRef bucket, String key, long expectedLength, Durability durability) {
        IndexKeys.utf8(key);
        var drive = drives.toWrite(bucket.id(), key);
        drive.space().take(Math.max(0, expectedLength));
        return new Upload(
                shelf, drive, bucket, key, expectedLength, config.smallLimit(), durability == Durability.FSYNC);
    }

    /// @return whether there was one
    public boolean delete(BucketRef bucket, String key, WriteCheck check, Durability durability) {
        var drive = drives.toWrite(bucket.id(), key);
        try {
            return shelf.commit(drive, new ObjectKey(bucket.id(), key), () -> {
                shelf.check(drive, bucket, key, check);
                if (!drive.contents().exists(bucket.id(), key)) {
                    throw new NothingThere();
                }
                return new Shelf.Ready<>(
                        Contents.prepareDelete(bucket, key, versions.next(), durability == Durability.FSYNC), true);
            });
        } catch (NothingThere _) {
            return false;
        }
    }

    private static final class NothingThere extends RuntimeException {
        NothingThere() {
            super("nothing is there", null, false, false);
        }
    }

    /// Keys in the order of their UTF-8 bytes, greater than `after` and beginning with `prefix`.
    public List<ListEntry> list(long bucketId, String prefix, String after, int limit) {
        return listFrom(bucketId, prefix, after.isEmpty() ? "" : after + '\0', limit);
    }

    /// Keys in the order of their UTF-8 bytes, not less than `from` and beginning with `prefix`.
    public List<ListEntry> listFrom(long bucketId, String prefix, String from, int limit) {
        return Listing.list(drives.allToRead(), bucketId, prefix, from, limit);
    }

    /// Whether nothing is stored in a bucket here, not even an unfinished upload.
    public boolean isEmpty(long bucketId) {
        return drives.allToRead().stream()
                .allMatch(drive -> drive.call(() -> drive.contents().isEmpty(Table.OBJECTS, bucketId)
                        && drive.contents().isEmpty(Table.UPLOADS, bucketId)));
    }

    /// Takes away all of a bucket. Its id must never be used again; its name may.
    public void dropBucket(BucketRef bucket) {
        for (var drive : drives.allToWrite()) {
            drive.alone(() -> drive.contents().drop(bucket));
        }
        hotSet.invalidateBucket(bucket.id());
    }

    /// Begins to scrub its drives; to be closed before this.
    public Scrubs scrubs(ScrubSettings settings, KnownBuckets buckets, Repair repair) {
        var members = drives.slots().stream()
                .map(slot -> new Scrubs.Member(slot.id(), slot.path().toString(), () -> toScrub(slot)))
                .toList();
        return Scrubs.start(members, shelf, settings, buckets, repair);
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
        var started = drives.slots().stream()
                .map(slot -> new Evictor(slot, shelf, buckets))
                .toList();
        opened.whenKnown(() -> started.forEach(Evictor::adopt));
        evictors = started;
    }

    public List<EvictionStats> evictions() {
        return evictors.stream().map(Evictor::stats).toList();
    }

    public List<DriveStats> stats() {
        var stats = new ArrayList<DriveStats>();
        for (var slot : drives.slots()) {
            var drive = slot.open();
            stats.add(new DriveStats(
                    slot.id(),
                    slot.path().toString(),
                    Objects.requireNonNull(opened.weights().get(slot.id())),
                    slot.status(),
                    slot.totals().objects(),
                    slot.totals().bytes(),
                    drive.map(open -> open.space().free()).orElse(0L),
                    drive.map(Drive::waiting).orElse(0),
                    slot.errors(),
                    slot.latestError(),
                    slot.probes()));
        }
        return stats;
    }

    @Override
    public void close() {
        evictors.forEach(Evictor::close);
        hotSet.close();
        mountpaths.close();
        opened.close();
    }
}
