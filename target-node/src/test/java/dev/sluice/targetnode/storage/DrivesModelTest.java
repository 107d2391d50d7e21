package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.health.DriveState;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.resilver.ResilverSettings;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.testing.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random changes of keys while drives fail, come back, are attached and detached, and the target restarts, compared
/// with a model: what was acknowledged is read, or 503 is, whichever drives there are; and when all are there again,
/// each key is where it belongs, in as many copies as are wanted.
final class DrivesModelTest {
    private static final HealthSettings QUICK = new HealthSettings(Duration.ofMillis(5), 1, Duration.ofSeconds(20));
    private static final ResilverSettings AT_ONCE = new ResilverSettings(0, Duration.ofMillis(20));
    private static final int KEYS = 3;
    private static final int STEPS = 200;
    private static final long ABSENT = 0;

    /// What may be asked of an open file on any thread, and hints.
    private static final Set<String> CANNOT_FAIL = Set.of(
            "identity", "isCached", "readAtOnce", "sendAtOnce", "close", "expectRead", "beginSync", "beginSyncBehind");

    @TempDir
    private Path folder;

    private final Map<String, BucketRef> buckets = new ConcurrentHashMap<>(Map.of(
            "one", new BucketRef(8, "one", 1),
            "two", new BucketRef(9, "two", 2),
            "three", new BucketRef(10, "three", 3),
            "any", new BucketRef(11, "any", 1)));

    private final KnownBuckets known = new KnownBuckets() {
        @Override
        public Optional<BucketRef> withId(long id) {
            return buckets.values().stream().filter(bucket -> bucket.id() == id).findFirst();
        }

        @Override
        public Optional<BucketRef> named(String name) {
            return Optional.ofNullable(buckets.get(name));
        }
    };

    /// The values that a key may have: more than one after a change whose outcome nobody told.
    private final Map<String, Set<Long>> model = new TreeMap<>();

    private final Map<Path, AtomicInteger> callsLeft = new ConcurrentHashMap<>();
    private final List<Path> paths = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private Optional<ObjectStore> opened = Optional.empty();
    private Random random = new Random();
    private long values = ABSENT;
    private int attached;

    /// More seeds by `-Dsluice.drives.seeds=N`, one alone by `-Dsluice.drives.seed=N`.
    static LongStream seeds() {
        long one = Long.getLong("sluice.drives.seed", 0);
        return one != 0 ? LongStream.of(one) : LongStream.rangeClosed(1, Long.getLong("sluice.drives.seeds", 2));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingIsLostOrWrong(long seed) throws Exception {
        random = new Random(seed);
        for (; attached < 2 + random.nextInt(3); attached++) {
            paths.add(Files.createDirectories(folder.resolve("d" + attached)));
        }
        open();
        try {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            healAll();
            settle();
            checkAll();
        } catch (AssertionError | RuntimeException failure) {
            history.forEach(System.err::println);
            throw failure;
        } finally {
            callsLeft.clear();
            store().close();
        }
    }

    private void open() throws IOException {
        opened = Optional.of(ObjectStore.open(
                StoreFixture.config(List.copyOf(paths)),
                new Seams(
                        (path, files) -> FaultyFiles.with((call, _) -> failWhenDue(path, call))
                                .apply(files),
                        java.util.function.UnaryOperator.identity()),
                QUICK));
    }

    private ObjectStore store() {
        return opened.orElseThrow();
    }

    private void failWhenDue(Path path, String call) throws IOException {
        var left = callsLeft.get(path);
        if (left != null && !CANNOT_FAIL.contains(call) && left.decrementAndGet() < 0) {
            throw new IOException("the drive at " + path + " is broken");
        }
    }

    private void step() throws Exception {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> put();
            case 6, 7 -> delete();
            case 8, 9, 10, 11, 12 -> get(anyKey());
            case 13 -> list();
            case 14 -> fail();
            case 15, 16 -> healOne();
            case 17 -> restart();
            case 18 -> bringSome();
            default -> rare();
        }
    }

    private void rare() throws Exception {
        switch (random.nextInt(4)) {
            case 0 -> attach();
            case 1 -> detach();
            case 2 -> buckets.put("any", new BucketRef(11, "any", 1 + random.nextInt(3)));
            default -> {
                healAll();
                settle();
            }
        }
    }

    private String anyKey() {
        var bucket = buckets.keySet().stream().sorted().toList().get(random.nextInt(buckets.size()));
        return bucket + "/" + random.nextInt(KEYS);
    }

    private BucketRef bucketOf(String name) {
        return Objects.requireNonNull(buckets.get(name.substring(0, name.indexOf('/'))));
    }

    private static String keyOf(String name) {
        return "key" + name.substring(name.indexOf('/') + 1);
    }

    private Set<Long> known(String name) {
        return Objects.requireNonNull(model.computeIfAbsent(name, _ -> new HashSet<>(Set.of(ABSENT))));
    }

    private static byte[] content(long value) {
        return Bytes.random(value, (int) (value % 7 == 0 ? 150_000 : 100 + value % 1000));
    }

    // ---- what clients do

    private void put() {
        var name = anyKey();
        long value = ++values;
        known(name).add(value);
        try {
            StoreFixture.put(store(), bucketOf(name), keyOf(name), content(value), Durability.FSYNC);
            model.put(name, new HashSet<>(Set.of(value)));
            history.add("put " + name + " = " + value);
        } catch (StoreException refused) {
            history.add("put " + name + " = " + value + " refused: " + refused.getMessage());
        }
    }

    private void delete() {
        var name = anyKey();
        try {
            store().delete(bucketOf(name), keyOf(name), WriteCheck.NONE, Durability.FSYNC);
            model.put(name, new HashSet<>(Set.of(ABSENT)));
            history.add("delete " + name);
        } catch (StoreException refused) {
            known(name).add(ABSENT);
            history.add("delete " + name + " refused: " + refused.getMessage());
        }
    }

    /// @return whether it was answered
    private boolean get(String name) throws IOException {
        long value;
        try {
            var bytes = StoreFixture.get(store(), bucketOf(name), keyOf(name));
            value = known(name).stream()
                    .filter(each -> each != ABSENT && Arrays.equals(content(each), bytes))
                    .findFirst()
                    .orElse(-1L);
        } catch (StoreException.NoSuchKey _) {
            value = ABSENT;
        } catch (StoreException.Unavailable | StoreException.DriveFailed refused) {
            history.add("get " + name + " refused: " + refused.getMessage());
            return false;
        }
        history.add("get " + name + " = " + value);
        assertThat(known(name)).as("value of " + name).contains(value);
        model.put(name, new HashSet<>(Set.of(value)));
        return true;
    }

    private void list() {
        buckets.forEach((name, bucket) -> {
            List<String> keys;
            try {
                keys = store().list(bucket.id(), "", "", 1000).stream()
                        .map(ListEntry::key)
                        .toList();
            } catch (StoreException.Unavailable | StoreException.DriveFailed refused) {
                history.add("list " + name + " refused: " + refused.getMessage());
                return;
            }
            history.add("list " + name + " = " + keys);
            for (int i = 0; i < KEYS; i++) {
                var may = known(name + "/" + i);
                boolean listed = keys.contains("key" + i);
                assertThat(listed ? may.stream().anyMatch(value -> value != ABSENT) : may.contains(ABSENT))
                        .as("listing of %s/%d: %s, it may be %s", name, i, listed, may)
                        .isTrue();
            }
        });
    }

    // ---- what happens to drives

    private Map<Path, DriveState> states() {
        var states = new HashMap<Path, DriveState>();
        store().stats()
                .forEach(drive ->
                        states.put(Path.of(drive.path()), drive.status().state()));
        return states;
    }

    private void fail() {
        var path = paths.get(random.nextInt(paths.size()));
        int after = random.nextBoolean() ? 0 : random.nextInt(40);
        callsLeft.putIfAbsent(path, new AtomicInteger(after));
        history.add("fail " + path.getFileName() + " after " + after + " calls");
        if (after == 0) {
            eventually(() -> states().get(path) == DriveState.OFFLINE, () -> path + " is " + states());
        }
    }

    private void healOne() {
        var broken = List.copyOf(callsLeft.keySet());
        if (!broken.isEmpty()) {
            heal(broken.get(random.nextInt(broken.size())));
        }
    }

    private void heal(Path path) {
        callsLeft.remove(path);
        eventually(() -> states().get(path) == DriveState.ONLINE, () -> path + " is " + store().stats());
        history.add("heal " + path.getFileName() + ", now " + store().table());
    }

    private void healAll() {
        List.copyOf(callsLeft.keySet()).forEach(this::heal);
        eventually(
                () -> paths.stream().allMatch(path -> states().get(path) == DriveState.ONLINE),
                () -> "drives are " + states());
        eventually(
                () -> store().table().members().entrySet().stream()
                        .filter(member -> !member.getValue().leaving())
                        .allMatch(member -> store().table().current().has(member.getKey())),
                () -> "the table is " + store().table());
    }

    private void restart() throws IOException {
        healAll();
        history.add("restart");
        store().close();
        open();
        eventually(store()::ready, () -> "drives are " + store().stats());
    }

    private void attach() throws IOException {
        if (paths.size() < 5) {
            var path = Files.createDirectories(folder.resolve("d" + attached++));
            history.add("attach " + path.getFileName());
            try {
                store().mountpaths().attach(path.toString());
            } catch (StoreException.Unavailable tooFewDrives) {
                history.add("attach refused: " + tooFewDrives.getMessage());
                healAll();
                if (!states().containsKey(path)) {
                    store().mountpaths().attach(path.toString());
                }
            }
            paths.add(path);
        }
    }

    private void detach() throws IOException {
        if (paths.size() > 2) {
            healAll();
            var path = paths.get(random.nextInt(paths.size()));
            history.add("detach " + path.getFileName());
            store().mountpaths().detach(path.toString(), false);
            if (random.nextBoolean()) {
                bringSome();
            }
            settle();
            paths.remove(path);
            eventually(() -> !states().containsKey(path), () -> "drives are " + states());
        }
    }

    // ---- what a resilver does

    private void bringSome() throws IOException {
        for (int i = 0; i < 10; i++) {
            bring(anyKey());
        }
    }

    private boolean bring(String name) throws IOException {
        try {
            long bytes = store().mover().bring(bucketOf(name), keyOf(name));
            history.add("bring " + name + ": " + bytes);
            return true;
        } catch (StoreException notNow) {
            history.add("bring " + name + " not now: " + notNow.getMessage());
            return false;
        }
    }

    private void settle() {
        healAll();
        try (var resilver = store().resilver(AT_ONCE, known)) {
            eventually(
                    () -> store().table().isSettled()
                            && store().settlement().isSettled(store().table().version()),
                    () -> "it is not settled: " + resilver.obey(ResilverCommand.STATUS));
        }
        history.add("settled: " + store().table());
    }

    private void checkAll() throws IOException {
        for (var name : model.keySet()) {
            assertThat(get(name)).as(name + " is answered").isTrue();
            long value = known(name).iterator().next();
            var bucket = bucketOf(name);
            var copies = store().table().copies(bucket.id()).wanted();
            var holders = store().table().current().holders(Slot.of(bucket.id(), keyOf(name)), copies);
            for (var drive : store().stats()) {
                boolean expected = value != ABSENT && holders.contains(drive.id());
                var file = Path.of(drive.path()).resolve("objects/" + bucket.name() + "/" + keyOf(name));
                assertThat(Files.exists(file))
                        .as("%s = %d on %s, %d copies on %s", name, value, drive.id(), copies, holders)
                        .isEqualTo(expected);
                if (expected) {
                    assertThat(Files.readAllBytes(file)).isEqualTo(content(value));
                }
            }
        }
        list();
    }
}
