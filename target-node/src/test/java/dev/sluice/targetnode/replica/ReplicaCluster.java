package dev.sluice.targetnode.replica;

import static dev.sluice.testing.Eventually.eventually;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.cluster.slots.SlotTable;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.BootClock;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.controller.Controller;
import dev.sluice.targetnode.controller.MemoryControllers;
import dev.sluice.targetnode.controller.files.TestDrives;
import dev.sluice.targetnode.replica.membership.FormerReplicas;
import dev.sluice.targetnode.storage.FaultyFiles;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.SmallDrive;
import dev.sluice.targetnode.storage.StoreSettings;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.Insides;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.ObjectRows;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Targets with some drives each, one or three controllers, and a replicated bucket, in this JVM. Stores, loops and
/// beats are those of production; what connects them is memory, which a test cuts and silences. The controller's clock
/// can be moved.
public final class ReplicaCluster implements AutoCloseable {
    private static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);
    private static final Duration PROMISES_BEGIN = Duration.ofMillis(2300);
    private static final Duration JUDGED = Duration.ofMillis(700);
    private static final Duration CLIENT = Duration.ofSeconds(60);
    private static final long ROOM = 1L << 40;
    private static final int FEW_SLOTS = 256;
    private static final Duration REPAIR = Duration.ofSeconds(90);

    public final MemoryNetwork network = new MemoryNetwork();
    final MovedClock controllersClock = new MovedClock();
    private final Optional<MemoryControllers> three;
    private final Path state;
    private final BucketProperties properties;
    private volatile Duration purgeAfter = FormerReplicas.PATIENCE;
    private final TreeSet<NodeId> ids = new TreeSet<>();
    private final List<Target> targets = new ArrayList<>();
    private final Bucket bucket;
    private volatile Optional<Controller> alone = Optional.empty();

    /// With two replicas.
    public ReplicaCluster(Path folder, int targetCount, int drivesEach) throws IOException {
        this(folder, targetCount, drivesEach, 2);
    }

    public ReplicaCluster(Path folder, int targetCount, int drivesEach, int replicas) throws IOException {
        this(folder, targetCount, drivesEach, whole(replicas), false);
    }

    /// With slices, and one drive each.
    static ReplicaCluster coded(Path folder, int targetCount, String code) throws IOException {
        return new ReplicaCluster(folder, targetCount, 1, coded(code), false);
    }

    private static BucketProperties whole(int replicas) {
        return BucketProperties.defaults(Optional.empty()).withReplicas(replicas);
    }

    private static BucketProperties coded(String text) {
        var code = ErasureCode.parse(text);
        var usual = BucketProperties.defaults(Optional.empty());
        return new BucketProperties(
                Optional.empty(),
                usual.durability(),
                BucketProperties.NO_DOCUMENTS,
                Optional.empty(),
                1,
                code.slices(),
                code.data(),
                1,
                Optional.empty(),
                usual.cache(),
                Optional.empty());
    }

    /// With two replicas; the first three targets are the controllers.
    static ReplicaCluster withThreeControllers(Path folder, int targetCount) throws IOException {
        return new ReplicaCluster(folder, targetCount, 1, whole(2), true);
    }

    private ReplicaCluster(
            Path folder, int targetCount, int drivesEach, BucketProperties properties, boolean threeControllers)
            throws IOException {
        this.properties = properties;
        IntStream.rangeClosed(1, targetCount).mapToObj(ReplicaCluster::id).forEach(ids::add);
        state = Files.createDirectories(folder.resolve("controller"));
        Files.createDirectories(state.resolve(".sluice"));
        three = threeControllers
                ? Optional.of(new MemoryControllers(state, ids, controllersClock, ReplicaCluster::slots))
                : Optional.empty();
        boolean ready = false;
        try {
            if (!threeControllers) {
                alone = Optional.of(open());
            }
            for (int number = 1; number <= targetCount; number++) {
                targets.add(new Target(id(number), drives(folder, number, drivesEach)));
            }
            bucket = begin();
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
        eventually(this::servesEverySlot);
    }

    private static List<Path> drives(Path folder, int target, int count) throws IOException {
        var drives = new ArrayList<Path>();
        for (int each = 1; each <= count; each++) {
            drives.add(Files.createDirectories(folder.resolve("target%d-d%d".formatted(target, each))));
        }
        return drives;
    }

    private Bucket begin() {
        targets.forEach(Target::start);
        eventually(() -> targets.stream().allMatch(Target::hasRegistered));
        controllersClock.pass(PROMISES_BEGIN);
        return applied(new Command.CreateBucket("shards", 1, properties))
                .buckets()
                .find("shards")
                .orElseThrow();
    }

    private static NodeId id(int number) {
        return new NodeId("target%03d".formatted(number));
    }

    /// Of the bucket's group. Every slot has entries of its own in the log, when a target fails or returns.
    private static int slots(int targets, boolean coded) {
        return System.getProperty("long") == null ? FEW_SLOTS : Group.slotsFor(targets, coded);
    }

    private Controller open() throws IOException {
        var opened =
                Controller.open(TestDrives.at(state), ids, new TreeMap<>(), controllersClock, ReplicaCluster::slots);
        opened.start();
        return opened;
    }

    /// As a target has it.
    private ControlPlane plane(NodeId target) {
        return three.<ControlPlane>map(all -> all.plane(target)).orElseGet(alone::orElseThrow);
    }

    /// Until it is done.
    private ClusterState applied(Command command) {
        return retried(() -> plane(ids.first()).apply(command));
    }

    public MemoryControllers controllers() {
        return three.orElseThrow();
    }

    /// The lone controller's process ends and begins again.
    void restartController() throws IOException {
        alone.orElseThrow().close();
        alone = Optional.of(open());
    }

    /// Until a controller that has just begun may have judged the targets.
    void awaitJudgement() {
        long begun = controllersClock.nanos();
        eventually(() -> controllersClock.nanos() - begun > PROMISES_BEGIN.toNanos() + JUDGED.toNanos());
    }

    /// Nobody reaches this target, nor it anybody.
    public void cutOff(Target target) {
        three.ifPresentOrElse(
                all -> ids.stream().filter(id -> !id.equals(target.id)).forEach(other -> all.cut(target.id, other)),
                target.control::cut);
        targets.stream().filter(other -> other != target).forEach(other -> network.cut(target.id, other.id));
    }

    public void heal() {
        network.heal();
        three.ifPresent(MemoryControllers::heal);
        targets.forEach(target -> target.control.heal());
    }

    void restartEverybody() throws IOException {
        targets.forEach(Target::stop);
        restartController();
        targets.forEach(Target::start);
    }

    /// Of targets that start from now on.
    void purgeAfter(Duration patience) {
        purgeAfter = patience;
    }

    public Target target(int number) {
        return targets.get(number - 1);
    }

    /// The target whose drive this is.
    public Target owner(String drive) {
        var owner = state().replication().drives().find(drive).orElseThrow().target();
        return target(owner::equals);
    }

    private Target target(Predicate<NodeId> wanted) {
        return targets.stream()
                .filter(target -> wanted.test(target.id))
                .findFirst()
                .orElseThrow();
    }

    public ClusterState state() {
        return three.map(MemoryControllers::state)
                .orElseGet(() -> alone.orElseThrow().current());
    }

    public SlotTable slots() {
        return state().replication().table(bucket.group()).orElseThrow();
    }

    public Group group() {
        return state().replication().group(bucket.group()).orElseThrow();
    }

    public int slot(String key) {
        return group().slotOf(bucket.id(), key);
    }

    public SlotRow row(String key) {
        return slots().row(slot(key));
    }

    /// Of the key's slot; the primary first.
    public List<Target> members(String key) {
        return row(key).members().stream().map(Member::drive).map(this::owner).toList();
    }

    /// Whether the log says that the drive and its target are there.
    boolean isUsable(String drive) {
        return state().replication().usable(drive);
    }

    /// The drive's.
    public int incarnation(String drive) {
        return state().replication().drives().find(drive).orElseThrow().incarnation();
    }

    /// Until the drive has every acknowledged write of the key's slot.
    void awaitInSync(String key, String drive) {
        eventually(REPAIR, () -> row(key).member(drive).filter(Member::inSync).isPresent());
    }

    /// A key whose slot has this target's drives as primary.
    public String keyOf(Target primary) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj("key-%d"::formatted)
                .filter(key -> owner(row(key).primary().drive()) == primary)
                .findFirst()
                .orElseThrow();
    }

    long slotsThat(Predicate<SlotRow> hold) {
        var table = slots();
        return IntStream.range(0, table.size())
                .mapToObj(table::row)
                .filter(hold)
                .count();
    }

    /// Until each slot has all its replicas: learners ask for each slot.
    public void awaitWhole() {
        eventually(REPAIR, () -> slotsThat(row -> row.inSync().size() == properties.replicas()) == group().slots());
    }

    /// Whether the log says of each slot that its primary serves.
    boolean isLoggedAsOpen() {
        return slotsThat(SlotRow::opened) == group().slots();
    }

    /// Whether one target says of each slot that it may answer for it.
    boolean servesEverySlot() {
        return targets.stream().mapToLong(Target::serves).sum() == group().slots();
    }

    public BucketRef bucket() {
        return BucketRefs.of(bucket);
    }

    // ---- a client

    /// Acknowledged when this returns.
    public void put(String key, byte[] content) {
        retried(() -> {
            owner(row(key).primary().drive()).put(key, content);
            return true;
        });
    }

    /// The other replicas have not only prepared it when this returns.
    void putOnEachReplica(String key, byte[] content) {
        put(key, content);
        awaitOnEachReplica(key, content);
    }

    /// A replica that has only prepared a write is told soon what became of it.
    void awaitOnEachReplica(String key, byte[] content) {
        eventually(() -> row(key).members().stream()
                .map(Member::drive)
                .allMatch(drive -> owner(drive).has(drive, key, content)));
    }

    public void delete(String key) {
        retried(() -> owner(row(key).primary().drive()).delete(key));
    }

    /// Empty when there is no such object.
    public Optional<byte[]> get(String key) {
        return retried(() -> owner(row(key).primary().drive()).get(key));
    }

    static <T> T retried(Supplier<T> request) {
        var answer = new ArrayList<T>();
        eventually(CLIENT, () -> {
            try {
                answer.add(request.get());
                return true;
            } catch (StoreException.Unavailable _) {
                return false;
            }
        });
        return answer.getFirst();
    }

    /// One target. Its store and its replicas begin and end together.
    public final class Target {
        public final NodeId id;
        public final List<Path> drives;
        public final CutControl control;
        private final SmallDrive room; // of its first drive; the others say the same
        volatile FaultyFiles.Fault fault = (_, _) -> {}; // of its drives
        private Optional<ObjectStore> store = Optional.empty();
        private Optional<Replicator> replicator = Optional.empty();

        Target(NodeId id, List<Path> drives) {
            this.id = id;
            this.drives = drives;
            this.room = new SmallDrive(drives.getFirst(), ROOM);
            this.control = new CutControl(() -> plane(id));
            applied(new Command.Join(new Node(id, Role.TARGET, "http://" + id, "", 1)));
        }

        public void start() {
            try {
                var settings = new StoreSettings(drives, MEMORY).node(id.value());
                var faults = FaultyFiles.with((call, path) -> fault.before(call, path));
                store = Optional.of(SmallDrive.open(
                        settings.build(), files -> faults.apply(room.seam().apply(files))));
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
            replicator = Optional.of(Replicator.start(
                    id, store(), control, network.seenBy(id), (_, _) -> Long.MAX_VALUE, new BootClock(), purgeAfter));
            network.join(id, replicator());
        }

        public void stop() {
            network.leave(id);
            replicator.ifPresent(Replicator::close);
            store.ifPresent(ObjectStore::close);
            replicator = Optional.empty();
            store = Optional.empty();
        }

        public ObjectStore store() {
            return store.orElseThrow(() -> new StoreException.Unavailable(id + " is not running"));
        }

        private Replicator replicator() {
            return replicator.orElseThrow();
        }

        public boolean hasRegistered() {
            return replicator().hasRegistered();
        }

        /// Of how many slots it says that it may answer for them, as their primary.
        public long serves() {
            try {
                return store().writer(bucket())
                        .list(bucket.id(), new ListQuery("", "", "", 1))
                        .cover()
                        .slots();
            } catch (StoreException.Unavailable _) {
                return 0;
            }
        }

        public void put(String key, byte[] content) {
            try (var upload = store().begin(bucket(), key, content.length, Durability.FSYNC)) {
                upload.write(ByteBuffer.wrap(content));
                upload.commit(CommitTerms.of("etag"));
            }
        }

        public boolean delete(String key) {
            return store().delete(bucket(), key, WriteCheck.NONE, Durability.FSYNC);
        }

        /// As a GET does it: what is found damaged is restored first, if it can be.
        public Optional<byte[]> get(String key) {
            try {
                return look(key);
            } catch (StoreException.Damaged damaged) {
                if (!store().serving(bucket(), key).restore()) {
                    throw damaged;
                }
                return look(key);
            }
        }

        private Optional<byte[]> look(String key) {
            return switch (store().lookup(bucket(), key)) {
                case Lookup.Hit(var object) -> {
                    try (object) {
                        yield Optional.of(read(object.record().size(), object::read));
                    }
                }
                case Lookup.Miss() -> Optional.empty();
                case Lookup.Damaged(var why) -> throw new StoreException.Damaged(why);
                case Lookup.Unknown(var why) -> throw new StoreException.Unavailable(why);
            };
        }

        /// Whether one of its drives has committed this, whoever may answer for it.
        public boolean has(String drive, String key, byte[] content) {
            var from = drive(drive);
            return from.call(() -> {
                if (!(from.store().find(bucket(), key) instanceof Found.Present(var record, var file))) {
                    return false;
                }
                try (file) {
                    return Arrays.equals(content, read(record.size(), file::read));
                }
            });
        }

        /// Until its only drive has committed something for the key.
        void awaitRow(String key) {
            eventually(() ->
                    drive(onlyDrive()).call(() -> drive(onlyDrive()).store().exists(bucket.id(), key)));
        }

        /// Flips a bit of an object's file, behind everybody's back.
        void damage(String key) {
            damage(key, file(key).toFile().length() / 2);
        }

        void damage(String key, long offset) {
            try (var file = new RandomAccessFile(file(key).toFile(), "rw")) {
                file.seek(offset);
                int was = file.read();
                file.seek(offset);
                file.write(was ^ 0x10);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        Path file(String key) {
            return drives.stream()
                    .flatMap(drive ->
                            Stream.of("objects/shards", "slices/shards").map(drive::resolve))
                    .map(bucketFolder -> bucketFolder.resolve(key))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
        }

        /// The row and the file of a key on its only drive, to be put back when they have changed.
        public Before keep(String key) {
            try {
                var kept = Files.createTempFile(drives.getFirst(), "kept", "");
                Files.copy(file(key), kept, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
                var drive = drive(onlyDrive());
                return new Before(
                        drive.call(() -> drive.store().entry(bucket.id(), key).orElseThrow()), kept);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        /// As a loss of power may leave it.
        void forgetRow(String key, Before before) {
            var drive = drive(onlyDrive());
            Await.whole(drive.startStep(() -> Insides.index(drive)
                    .write(ObjectRows.put(new IndexBatch(), bucket.id(), key, before.row()), true)));
            store().hotSet().invalidate(new ObjectKey(bucket.id(), key));
        }

        /// The same of the file.
        void forgetFile(String key, Before before) {
            try {
                Files.move(before.file(), file(key), StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        /// Writes that its drives have prepared, and of which they know no outcome.
        public int prepared() {
            return store().drives().reading().stream()
                    .mapToInt(drive -> drive.openIntents().size())
                    .sum();
        }

        /// Its drives have no room from now on, and the controller knows it.
        public void fillUp() {
            room.resize(0);
            eventually(() -> !control.full().isEmpty());
        }

        /// Its drives have room again.
        void makeRoom() {
            room.resize(ROOM);
        }

        /// Its only drive fails, as far as replication is concerned.
        void loseDrive() {
            var lost = drive(onlyDrive());
            lost.freeze();
            eventually(() -> !state().replication().usable(lost.id()));
        }

        /// Messages that waited for this target to hear of a newer epoch.
        public long earlyMessages() {
            return replicator().counts().earlyMessages();
        }

        /// The loop of a drive does this, after all that it has to do now.
        void runOnLoop(String drive, Runnable step) {
            replicator().runOnLoop(drive, step);
        }

        /// The loop of a drive hangs in the middle of a step, and goes on when this is closed.
        public Hanging hang(String drive) {
            var held = new CountDownLatch(1);
            replicator().runOnLoop(drive, () -> {
                boolean done = false;
                while (!done) {
                    try {
                        held.await();
                        done = true;
                    } catch (InterruptedException _) {
                        // a thread that waits for a disk does not notice
                    }
                }
            });
            return held::countDown;
        }

        /// The loop of a drive ends by a bug. The drive stays open.
        void failLoop(String drive) {
            replicator().runOnLoop(drive, () -> {
                throw new IllegalStateException("a bug of this test");
            });
        }

        /// Whether it would answer from what it has open, if it may.
        boolean isHot(String key) {
            var hot = store().hot(bucket.id(), key);
            hot.ifPresent(StoredObject::close);
            return hot.isPresent();
        }

        /// Of a drive: how many there are more than prepared writes that may need one.
        long strayStagingFiles(String drive) {
            var path = store().drives().slots().stream()
                    .filter(slot -> slot.id().equals(drive))
                    .findFirst()
                    .orElseThrow()
                    .path();
            try (var staged = Files.list(path.resolve(Layout.WORK))) {
                return staged.count() - drive(drive).openIntents().size();
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        public long restored() {
            return replicator().counts().restored();
        }

        /// Of its drives, also of those that are not there.
        public List<String> ids() {
            return store().drives().slots().stream().map(slot -> slot.id()).toList();
        }

        public String onlyDrive() {
            return store().drives().reading().getFirst().id();
        }

        /// A drive leaves while the target runs.
        void takeOut(String drive) {
            store().mountpaths().disable(drive);
        }

        /// It is opened again, and announced with the target's next report.
        void bringBack(String drive) {
            store().mountpaths().enable(drive);
        }

        public Drive drive(String id) {
            return store().drives().reading().stream()
                    .filter(drive -> drive.id().equals(id))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /// A drive that hangs.
    interface Hanging extends AutoCloseable {
        @Override
        void close();
    }

    /// What a drive had of a key.
    record Before(ObjectEntry row, Path file) {}

    private interface Reading {
        void read(long offset, ByteBuffer into) throws IOException;
    }

    private static byte[] read(long size, Reading from) {
        var into = ByteBuffer.allocate((int) size);
        try {
            from.read(0, into);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return into.array();
    }

    @Override
    public void close() {
        heal();
        targets.forEach(Target::stop);
        alone.ifPresent(Controller::close);
        three.ifPresent(MemoryControllers::close);
    }
}
