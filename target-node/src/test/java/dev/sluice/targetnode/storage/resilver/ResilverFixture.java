package dev.sluice.targetnode.storage.resilver;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveSettings;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.files.LocalDriveFiles;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.NoteKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.pace.HandTicks;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.space.Watermarks;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Member;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// A target of drives that have index entries only, its table, which the test changes, and a mover that copies entries.
final class ResilverFixture implements Surroundings, Mover, Settling, KnownBuckets, AutoCloseable {
    static final BucketRef BUCKET = new BucketRef(7, "shards");
    static final BucketRef REPLICATED = new BucketRef(8, "replicated", 1, true);
    static final int SIZE = 1 << 20;
    private static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);

    final HandTicks ticks = new HandTicks();
    final Map<String, Drive> drives = new TreeMap<>();
    final Map<String, Drive> readable = new ConcurrentHashMap<>();
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final Map<BucketRef, Integer> broughtOf = new ConcurrentHashMap<>();
    final List<String> brought = new CopyOnWriteArrayList<>();
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    final List<Set<String>> settlings = new CopyOnWriteArrayList<>();
    final AtomicInteger steps = new AtomicInteger();
    volatile Optional<String> refusal = Optional.empty();
    volatile Consumer<String> beforeBringing = _ -> {};
    volatile DriveTable table;
    private final Path folder;
    private Optional<Resilver> running = Optional.empty();

    /// Drives d1, d2 …, a table over all of them.
    ResilverFixture(Path folder, int count) throws Exception {
        this.folder = folder;
        var members = new TreeMap<String, Member>();
        for (int i = 1; i <= count; i++) {
            open("d" + i);
            members.put("d" + i, Member.at("/d" + i, 1));
        }
        table = DriveTable.of(members);
    }

    void open(String id) throws Exception {
        try (var opener = new DriveThreads("open", 1, 1)) {
            var drive = Await.io(opener.start(() -> {
                var root = Files.createDirectories(folder.resolve(id));
                var files = new LocalDriveFiles(root);
                for (var each : List.of(Layout.OBJECTS, Layout.WORK, Layout.AUX, Layout.ESCAPED, Layout.TRASH)) {
                    files.createFolders(each);
                }
                files.createFolders(Layout.UPLOADS);
                var index = RocksIndex.open(root.resolve(Layout.INDEX), MEMORY);
                return new Drive(
                        id,
                        new GuardedFiles(files, root),
                        index,
                        new DriveSettings(4, 512, 32 << 20, 0, Watermarks.DEFAULT, Duration.ofMillis(100), () -> 1),
                        new Suspicion(id, (_, _) -> {}));
            }));
            Await.whole(drive.start(() -> {}));
            drives.put(id, drive);
            readable.put(id, drive);
        }
    }

    Drive drive(String id) {
        return Objects.requireNonNull(drives.get(id));
    }

    // ---- what is on the drives

    void put(String drive, long version, String... keys) {
        put(drive, BUCKET.id(), version, keys);
    }

    void put(String drive, long bucketId, long version, String... keys) {
        var batch = new IndexBatch();
        for (var key : keys) {
            var entry = new ObjectEntry(new ObjectVersion(1, version), SIZE, 1, "e", false, false, false);
            batch.put(Table.OBJECTS, IndexKeys.object(bucketId, key), entry.encode());
        }
        write(drive, batch);
    }

    void note(String drive, String key, long version) {
        write(
                drive,
                new IndexBatch()
                        .put(Table.NOTES, NoteKeys.note(BUCKET.id(), key, new ObjectVersion(1, version)), new byte[0]));
    }

    List<String> notes(String drive) {
        return drive(drive).call(() -> {
            var notes = new ArrayList<String>();
            Insides.index(drive(drive)).scan(Table.NOTES, new byte[0], (note, _) -> {
                notes.add(
                        NoteKeys.objectOf(note).key() + NoteKeys.versionOf(note).sequence());
                return true;
            });
            return notes;
        });
    }

    private void write(String drive, IndexBatch batch) {
        Await.whole(drive(drive).startStep(() -> Insides.index(drive(drive)).write(batch, false)));
    }

    Optional<ObjectEntry> entry(String drive, String key) {
        return drive(drive).call(() -> drive(drive).store().entry(BUCKET.id(), key));
    }

    List<String> holders(String key) {
        return Astray.holders(table, new ObjectKey(BUCKET.id(), key));
    }

    /// Each key on just the drives it belongs on.
    boolean allInPlace(String... keys) {
        for (var key : keys) {
            for (var id : readable.keySet()) {
                if (entry(id, key).isPresent() != holders(key).contains(id)) {
                    return false;
                }
            }
        }
        return true;
    }

    static String[] keys(int count) {
        var keys = new String[count];
        for (int i = 0; i < count; i++) {
            keys[i] = "k%05d".formatted(i);
        }
        return keys;
    }

    // ---- what the resilver sees

    @Override
    public DriveTable table() {
        steps.incrementAndGet();
        return table;
    }

    @Override
    public Map<String, Drive> readable() {
        return Map.copyOf(readable);
    }

    @Override
    public Optional<BucketRef> withId(long id) {
        return Stream.of(BUCKET, REPLICATED).filter(each -> each.id() == id).findFirst();
    }

    @Override
    public Optional<BucketRef> named(String name) {
        return Optional.of(BUCKET);
    }

    @Override
    public boolean isSettled(long tableVersion) {
        var now = table;
        return now.version() != tableVersion || now.isSettled();
    }

    @Override
    public Optional<String> settle(long tableVersion, Set<String> looked) {
        settlings.add(looked);
        if (refusal.isEmpty() && tableVersion == table.version()) {
            table = table.settled();
        }
        return refusal;
    }

    @Override
    public long bring(BucketRef bucket, String key) {
        beforeBringing.accept(key);
        brought.add(key);
        broughtOf.merge(bucket, 1, Integer::sum);
        if (failing.contains(key)) {
            throw new StoreException.NoSpace("no room for " + key);
        }
        var lock = locks.computeIfAbsent(key, _ -> new ReentrantLock());
        lock.lock();
        try {
            return copy(key);
        } finally {
            lock.unlock();
        }
    }

    /// By one table, under the key's lock, as the mover does it.
    private long copy(String key) {
        var holders = holders(key);
        var newest = readable.keySet().stream()
                .flatMap(id -> entry(id, key).stream())
                .max(Comparator.comparingLong(each -> each.version().sequence()));
        long written = 0;
        for (var id : readable.keySet()) {
            boolean belongs = holders.contains(id);
            if (newest.isPresent() && belongs && !entry(id, key).equals(newest)) {
                put(id, newest.get().version().sequence(), key);
                written += SIZE;
            } else if (!belongs && entry(id, key).isPresent()) {
                write(id, new IndexBatch().delete(Table.OBJECTS, IndexKeys.object(BUCKET.id(), key)));
            }
        }
        return written;
    }

    /// How many keys of a bucket.
    int broughtOf(BucketRef bucket) {
        return broughtOf.getOrDefault(bucket, 0);
    }

    // ---- running it

    Resilver start() {
        return start(ResilverSettings.DEFAULTS);
    }

    Resilver start(ResilverSettings settings) {
        running.ifPresent(Resilver::close);
        var resilver = Resilver.start(this, this, this, this, settings, ticks);
        running = Optional.of(resilver);
        return resilver;
    }

    /// Starts it and lets the grace pass.
    Resilver startAndBegin() {
        var resilver = start();
        letStep();
        advance(ResilverSettings.GRACE);
        return resilver;
    }

    ResilverStatus status() {
        return running.orElseThrow().obey(ResilverCommand.STATUS);
    }

    /// Returns when the resilver has seen what is, and has begun what follows from that.
    void letStep() {
        int now = steps.get();
        eventually(() -> steps.get() > now + 6);
    }

    void advance(Duration time) {
        ticks.advance(time);
        letStep();
    }

    void awaitIdle() {
        eventually(() -> status().state() == ResilverStatus.State.IDLE);
    }

    void awaitWaiting() {
        letStep();
        eventually(() -> status().state() == ResilverStatus.State.WAITING);
    }

    @Override
    public void close() {
        running.ifPresent(Resilver::close);
        drives.values().forEach(Drive::close);
    }
}
