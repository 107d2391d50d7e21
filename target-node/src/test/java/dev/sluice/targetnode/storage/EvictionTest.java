package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.eviction.CachedBuckets;
import dev.sluice.targetnode.storage.eviction.QuotaExcess;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a drive gives up when it is too full, and what never.
@Timeout(120)
class EvictionTest {
    private static final BucketRef CACHED = new BucketRef(3, "cached");
    private static final BucketRef OWN = new BucketRef(4, "own");
    private static final BucketRef OTHER = new BucketRef(5, "other");
    private static final CachedBuckets ONLY_CACHED = () -> List.of(CACHED);
    private static final int ORDERS = System.getProperty("long") == null ? 1 : 2;
    private static final int SIZE = 40_000;
    private static final long ROOM = 40_960;
    private static final long LARGE = 1L << 40;

    @TempDir
    private Path folder;

    private final AtomicLong minute = new AtomicLong(30_000_000);
    private SmallDrive drive = new SmallDrive(Path.of("unset"), 0);
    private List<Path> paths = List.of();

    @BeforeEach
    void oneDrive() throws IOException {
        paths = drives(folder, 1);
        drive = new SmallDrive(paths.getFirst(), LARGE);
    }

    private ObjectStore open() throws IOException {
        var config =
                StoreFixture.settings(paths).reserve(0).minutes(minute::get).build();
        return ObjectStore.open(config, drive.seam());
    }

    /// A copy of an object that the cloud has.
    private static void fill(ObjectStore store, BucketRef bucket, String key, byte[] content) {
        try (var upload = store.begin(bucket, key, content.length, Durability.OS)) {
            upload.write(ByteBuffer.wrap(content));
            upload.commit(new CommitTerms(
                    "etag",
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.of("v1"),
                    Optional.empty(),
                    WriteCheck.NONE));
        }
    }

    private static String key(int number) {
        return "k%03d".formatted(number);
    }

    private static NavigableSet<String> keys(ObjectStore store, BucketRef bucket) {
        var keys = new TreeSet<String>();
        store.list(bucket.id(), "", "", 100_000).forEach(entry -> keys.add(entry.key()));
        return keys;
    }

    /// Such that what is stored now fills it to this many per cent.
    private void shrinkSoThatUsedIs(int percent) {
        drive.resize(drive.used() * 100 / percent);
    }

    private void awaitEviction(ObjectStore store) {
        eventually(() -> store.evictions().getFirst().enough() > 0);
    }

    /// 60 copies, stored in one random order, most of them then read in another, half of them while they are hot.
    private List<String> fillAndRead(ObjectStore store, long seed) throws IOException {
        var random = new Random(seed);
        var order = new ArrayList<String>();
        for (int i = 0; i < 60; i++) {
            order.add(key(i));
        }
        Collections.shuffle(order, random);
        for (var key : order) {
            minute.incrementAndGet();
            fill(store, CACHED, key, random(1, SIZE));
        }
        for (int round = 0; round < 80; round++) {
            minute.incrementAndGet();
            var key = key(random.nextInt(50));
            if (store.hot(CACHED.id(), key).isEmpty()) {
                assertThat(get(store, CACHED, key)).hasSize(SIZE);
            } else {
                store.hot(CACHED.id(), key).orElseThrow().close();
            }
            order.remove(key);
            order.add(key);
        }
        return order;
    }

    private void requireOldestWent(ObjectStore store, List<String> oldestFirst) {
        var stats = store.evictions().getFirst();
        assertThat(stats.objects()).isBetween(4L, 20L);
        assertThat(stats.bytes()).isEqualTo(stats.objects() * ROOM);
        assertThat(keys(store, CACHED))
                .isEqualTo(new TreeSet<>(oldestFirst.subList((int) stats.objects(), oldestFirst.size())));
    }

    @Test
    void whatWasReadLongestAgoGoesFirst() throws IOException {
        for (long seed = 1; seed <= ORDERS; seed++) {
            drive.resize(LARGE);
            try (var store = open()) {
                keys(store, CACHED).forEach(key -> store.delete(CACHED, key, WriteCheck.NONE, Durability.OS));
                var order = fillAndRead(store, seed);
                store.evict(ONLY_CACHED);
                shrinkSoThatUsedIs(96);
                awaitEviction(store);
                requireOldestWent(store, order);
            }
        }
    }

    @Test
    void aRestartKeepsTheOrder() throws IOException {
        List<String> order;
        try (var store = open()) {
            order = fillAndRead(store, 7);
        }
        try (var store = open()) {
            store.evict(ONLY_CACHED);
            shrinkSoThatUsedIs(96);
            awaitEviction(store);
            requireOldestWent(store, order);
        }
    }

    @Test
    void itBeginsAboveTheHighWatermarkAndEndsAtTheLow() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 100; i++) {
                fill(store, CACHED, key(i), random(1, SIZE));
            }
            drive.resize(100 * ROOM * 10 / 9 + ROOM);
            store.evict(ONLY_CACHED);
            drive.resize(100 * ROOM * 10 / 9); // 90 %: not above
            fill(store, OWN, "x", random(2, 1)); // now it is
            awaitEviction(store);
            var stats = store.evictions().getFirst();
            assertThat(stats.enough()).isEqualTo(1);
            assertThat(drive.used() * 9 * 100 / (100 * ROOM * 10)).isBetween(83L, 85L);
            assertThat(stats.missing()).isZero();
        }
    }

    @Test
    void onlyCopiesOfWhatTheCloudHasGo() throws IOException {
        randomMixtures(1, 1);
    }

    @Tag("long")
    @Test
    void onlyCopiesOfWhatTheCloudHasGoFromManyMixtures() throws IOException {
        randomMixtures(2, 40);
    }

    private void randomMixtures(int first, int last) throws IOException {
        for (long seed = first; seed <= last; seed++) {
            randomMixture(seed);
        }
    }

    private void randomMixture(long seed) throws IOException {
        var random = new Random(seed);
        drive.resize(LARGE);
        var mayGo = new HashMap<String, byte[]>();
        var mustStay = new HashMap<String, byte[]>();
        try (var store = open()) {
            for (var bucket : List.of(CACHED, OWN, OTHER)) {
                keys(store, bucket).forEach(key -> store.delete(bucket, key, WriteCheck.NONE, Durability.OS));
            }
            for (int i = 0; i < 150; i++) {
                minute.addAndGet(random.nextInt(3));
                var bucket = List.of(CACHED, CACHED, OWN, OTHER).get(random.nextInt(4));
                var key = random.nextInt(8) == 0 ? "escaped//" + key(i) : key(random.nextInt(60));
                var content = random(random.nextLong(), random.nextInt(100_000));
                var name = bucket.name() + "/" + key;
                boolean inCloud = bucket.equals(CACHED) ? random.nextInt(3) > 0 : random.nextInt(6) == 0;
                if (inCloud) {
                    fill(store, bucket, key, content); // a backend's version alone does not make a bucket cached
                } else {
                    put(store, bucket, key, content, Durability.OS);
                }
                mayGo.remove(name);
                mustStay.remove(name);
                (inCloud && bucket.equals(CACHED) ? mayGo : mustStay).put(name, content);
                if (random.nextBoolean()) {
                    assertThat(get(store, bucket, key)).isEqualTo(content);
                }
            }
            store.evict(ONLY_CACHED);
            drive.resize(drive.used() / (1 + random.nextInt(4))); // perhaps more than can be freed
            eventually(() -> store.evictions().getFirst().enough()
                            + store.evictions().getFirst().tooLittle()
                    > 0);
            drive.resize(LARGE);
            for (var name : mustStay.keySet()) {
                assertThat(get(store, bucketOf(name), name.substring(name.indexOf('/') + 1)))
                        .as("seed %d, %s", seed, name)
                        .isEqualTo(mustStay.get(name));
            }
            long went = mayGo.keySet().stream()
                    .filter(name -> !keys(store, CACHED).contains(name.substring(name.indexOf('/') + 1)))
                    .count();
            assertThat(went).isPositive().isEqualTo(store.evictions().getFirst().objects());
        }
    }

    private static BucketRef bucketOf(String name) {
        return List.of(CACHED, OWN, OTHER).stream()
                .filter(bucket -> name.startsWith(bucket.name() + "/"))
                .findFirst()
                .orElseThrow();
    }

    /// Old objects that the cloud has not are passed over, however many.
    @Test
    void copiesThatMustStayDoNotKeepYoungerOnesFromGoing() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 50; i++) {
                minute.addAndGet(200);
                put(store, CACHED, key(i), random(1, SIZE), Durability.OS);
            }
            minute.addAndGet(500);
            for (int i = 50; i < 100; i++) {
                fill(store, CACHED, key(i), random(1, SIZE));
            }
            store.evict(ONLY_CACHED);
            shrinkSoThatUsedIs(98);
            awaitEviction(store);
            assertThat(keys(store, CACHED)).hasSizeBetween(85, 87);
            assertThat(keys(store, CACHED).headSet(key(50))).hasSize(50);
        }
    }

    @Test
    void aReaderKeepsWhatItHasOpen() throws IOException {
        var content = random(5, 3_000_000);
        try (var store = open()) {
            fill(store, CACHED, "k", content);
            try (var object = ((Lookup.Hit) store.lookup(CACHED, "k")).object()) {
                minute.addAndGet(5);
                store.evict(ONLY_CACHED);
                drive.resize(1_000_000);
                eventually(() -> store.evictions().getFirst().objects() == 1);
                assertThat(store.lookup(CACHED, "k")).isInstanceOf(Lookup.Miss.class);
                assertThat(store.hot(CACHED.id(), "k")).isEmpty();
                var bytes = ByteBuffer.allocate(content.length);
                object.read(0, bytes);
                assertThat(bytes.array()).isEqualTo(content);
            }
        }
    }

    @Test
    void aKeyThatIsBeingChangedIsPassedOver() throws Exception {
        var changing = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var store = open();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                fill(store, CACHED, key(i), random(1, SIZE));
            }
            var refused = clients.submit(() -> store.delete(
                    CACHED,
                    key(7),
                    _ -> {
                        changing.countDown();
                        awaitQuietly(goOn);
                        throw new StoreException.PreconditionFailed("of the test");
                    },
                    Durability.OS));
            try {
                changing.await();
                store.evict(ONLY_CACHED);
                drive.resize(ROOM);
                eventually(() -> store.evictions().getFirst().busy() > 0);
                assertThat(keys(store, CACHED)).containsExactly(key(7));
            } finally {
                goOn.countDown();
            }
            assertThatThrownBy(refused::get).hasCauseInstanceOf(StoreException.PreconditionFailed.class);
            eventually(() -> keys(store, CACHED).isEmpty());
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Of a drive that is full of copies: a write waits for them to go.
    @Test
    void aWriteThatNeedsRoomGetsIt() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 100; i++) {
                fill(store, CACHED, key(i), random(1, SIZE));
            }
            drive.resize(100 * ROOM * 100 / 89); // below the high watermark
            store.evict(ONLY_CACHED);
            eventually(() -> store.stats().getFirst().freeBytes() < 20 * ROOM);
            assertThat(store.evictions().getFirst().enough()).isZero();
            var large = random(9, (int) (60 * ROOM));
            put(store, OWN, "large", large, Durability.FSYNC);
            assertThat(get(store, OWN, "large")).isEqualTo(large);
            // Room is there as soon as a copy has gone; it is counted a moment later.
            eventually(() -> store.evictions().getFirst().objects() >= 45);
            assertThat(store.evictions().getFirst().objects()).isLessThanOrEqualTo(70);
        }
    }

    /// An index rebuilt knows no times: the records tell which are copies.
    @Test
    void aNewIndexEvictsCopiesAndNothingElse() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 20; i++) {
                fill(store, CACHED, key(i), random(1, SIZE));
                put(store, CACHED, "own" + i, random(1, SIZE), Durability.OS);
            }
        }
        try (var files = Files.walk(paths.getFirst().resolve(".sluice/index"))) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
        try (var store = open()) {
            eventually(store::ready);
            store.evict(ONLY_CACHED);
            drive.resize(drive.used() / 3);
            eventually(() -> store.evictions().getFirst().tooLittle() > 0);
            assertThat(keys(store, CACHED)).hasSize(20).allMatch(key -> key.startsWith("own"));
        }
    }

    /// A client may say that it has any number of bytes: copies go for those that come.
    @Test
    void writeThatIsOnlyAnnouncedEvictsNothing() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 50; i++) {
                fill(store, CACHED, key(i), random(i, SIZE));
            }
            drive.resize(100 * ROOM);
            store.evict(ONLY_CACHED);
            eventually(() -> store.stats().getFirst().freeBytes() <= 50 * ROOM);
            long announced = 90 * ROOM;
            try (var upload = store.begin(OWN, "large", announced, Durability.OS)) {
                assertThat(store.evictions().getFirst().objects()).isZero();
                assertThat(keys(store, CACHED)).hasSize(50);
                for (long at = 0; at < announced; at += SIZE) {
                    upload.write(ByteBuffer.wrap(random(at, (int) Math.min(SIZE, announced - at))));
                }
                upload.commit(CommitTerms.of("etag"));
            }
            assertThat(store.evictions().getFirst().objects()).isPositive();
            assertThatThrownBy(() -> store.begin(OWN, "never", 101 * ROOM, Durability.OS))
                    .isInstanceOf(StoreException.NoSpace.class);
        }
    }

    @Test
    void whenNothingMayGoWritesAreRefusedAtOnceAndReadsAndDeletesGoOn() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 50; i++) {
                put(store, OWN, key(i), random(i, SIZE), Durability.OS);
            }
            drive.resize(50 * ROOM + 1000);
            store.evict(ONLY_CACHED);
            eventually(() -> store.evictions().getFirst().tooLittle() > 0);
            assertThat(store.evictions().getFirst().missing()).isPositive();
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> put(store, OWN, "new", random(9, SIZE), Durability.OS))
                        .isInstanceOf(StoreException.NoSpace.class)
                        .hasMessageContaining("The drive ")
                        .hasMessageContaining("is full: 40000 bytes are wanted, 1000 are free, 0 are kept free");
            }
            assertThat(get(store, OWN, key(3))).isEqualTo(random(3, SIZE));
            assertThat(store.delete(OWN, key(4), WriteCheck.NONE, Durability.FSYNC))
                    .isTrue();
            eventually(() -> store.stats().getFirst().freeBytes() > ROOM);
            put(store, OWN, "new", random(9, SIZE), Durability.OS); // by itself
            assertThat(get(store, OWN, "new")).isEqualTo(random(9, SIZE));
        }
    }

    /// Two looks at the same figures must not trim twice: other targets have trimmed meanwhile too.
    @Test
    void aBucketIsTrimmedOnceForEachNewsOfItsSize() throws IOException {
        try (var store = open()) {
            for (int i = 0; i < 40; i++) {
                minute.incrementAndGet();
                fill(store, CACHED, key(i), random(1, 1000));
                fill(store, OTHER, key(i), random(1, 1000));
            }
            var knownAt = new AtomicLong(System.nanoTime());
            var looks = new AtomicLong();
            store.evict(new CachedBuckets() {
                @Override
                public List<BucketRef> now() {
                    return List.of(CACHED, OTHER);
                }

                @Override
                public List<QuotaExcess> tooLarge() {
                    looks.incrementAndGet();
                    return List.of(new QuotaExcess(CACHED, 0.5, knownAt.get()));
                }
            });
            eventually(() -> keys(store, CACHED).size() <= 20);
            long seen = looks.get();
            eventually(() -> looks.get() > seen + 2);
            assertThat(keys(store, CACHED))
                    .as("the latest half")
                    .hasSize(20)
                    .first()
                    .isEqualTo(key(20));
            knownAt.set(System.nanoTime());
            eventually(() -> keys(store, CACHED).size() == 10);
            assertThat(keys(store, OTHER)).hasSize(40);
        }
    }
}
