package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.Harms.attributes;
import static dev.sluice.targetnode.storage.Harms.record;
import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.config;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whatever is done to the files behind the store's back: never a wrong byte, never "there is none".
class DamageTest {
    private interface Harm {
        void to(Path file, Path other) throws IOException;
    }

    private static final Map<String, Harm> HARMS = new TreeMap<>(Map.of(
            "flip", (file, _) -> overwrite(file, Files.size(file) / 2, 1),
            "flip the last byte", (file, _) -> overwrite(file, Files.size(file) - 1, 1),
            "zero", (file, _) -> overwrite(file, 0, (int) Math.min(4096, Files.size(file))),
            "truncate", (file, _) -> resize(file, Files.size(file) - 1),
            "empty", (file, _) -> resize(file, 0),
            "extend", (file, _) -> resize(file, Files.size(file) + 1),
            "swap", Harms::swap,
            "delete", (file, _) -> Files.delete(file),
            "remove the record", (file, _) -> attributes(file).delete("sluice"),
            "damage the record", (file, _) -> attributes(file).write("sluice", ByteBuffer.wrap(new byte[100]))));

    @TempDir
    private Path folder;

    private static void overwrite(Path file, long offset, int length) throws IOException {
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            var bytes = new byte[length];
            out.seek(offset);
            out.readFully(bytes);
            for (int i = 0; i < length; i++) {
                bytes[i] = (byte) (length == 1 ? bytes[i] ^ 0x10 : 0);
            }
            out.seek(offset);
            out.write(bytes);
        }
    }

    private static void resize(Path file, long size) throws IOException {
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            for (var each : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    @Test
    void noHarmGetsAWrongByteOrAFalseMissOut() throws IOException {
        var paths = drives(folder, 1);
        var objects = paths.getFirst().resolve("objects/shards");
        int number = 0;
        for (int size : new int[] {4096, 2_500_000}) {
            for (boolean hot : new boolean[] {false, true}) {
                for (var harm : HARMS.entrySet()) {
                    var what = "%s, %d bytes, hot: %s".formatted(harm.getKey(), size, hot);
                    var key = "k" + number++; // a new one: what replaces another has its record in another form
                    var other = "other than " + key;
                    try (var store = open(paths)) {
                        put(store, key, random(1, size));
                        put(store, other, random(2, size));
                        if (hot) {
                            get(store, key);
                        }
                        harm.getValue().to(objects.resolve(key), objects.resolve(other));
                        var replaced = hot && List.of("swap", "delete").contains(harm.getKey());
                        boolean inMemory = hot && size == 4096;
                        if (replaced || inMemory) {
                            // the open file, or memory, is whole; it may be served until it is looked for again
                            requireDamagedOrRight(store, key, random(1, size), what);
                        } else {
                            assertThatThrownBy(() -> get(store, key))
                                    .as(what)
                                    .isInstanceOf(StoreException.Damaged.class);
                        }
                        put(store, key, random(3, size));
                        assertThat(get(store, key)).as("%s: written anew", what).isEqualTo(random(3, size));
                    }
                }
            }
        }
    }

    @Test
    void thatTheFileOfAnObjectInMemoryWasTouchedIsNoticedSoon() throws IOException {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "k", random(1, 1000));
            get(store, "k");
            overwrite(paths.getFirst().resolve("objects/shards/k"), 5, 1);
            eventually(() -> isDamaged(store, random(1, 1000)), () -> "it is served from memory for ever");
        }
    }

    private static boolean isDamaged(ObjectStore store, byte[] right) {
        try {
            assertThat(get(store, "k")).isEqualTo(right);
            return false;
        } catch (StoreException.Damaged expected) {
            return true;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void requireDamagedOrRight(ObjectStore store, String key, byte[] right, String what)
            throws IOException {
        try {
            assertThat(get(store, key)).as(what).isEqualTo(right);
        } catch (StoreException.Damaged expected) {
            assertThat(expected).hasMessageContaining(key);
        }
    }

    @Test
    void aRangeIsVerifiedByTheBlocksItLiesIn() throws IOException {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "k", random(1, 5 << 20));
            overwrite(paths.getFirst().resolve("objects/shards/k"), (2 << 20) + 5, 1);
            try (var object = ((Lookup.Hit) store.lookup(BUCKET, "k")).object()) {
                assertThat(object.ready(0, 10)).isFalse();
                var bytes = ByteBuffer.allocate(10);
                object.read(1000, bytes);
                assertThat(object.ready(0, 1 << 20)).isTrue();
                assertThat(object.ready(0, (1 << 20) + 1)).isFalse();
                assertThatThrownBy(() -> object.read((2 << 20) + 500_000, ByteBuffer.allocate(1)))
                        .isInstanceOf(StoreException.Damaged.class);
                object.read((3 << 20) - 0, ByteBuffer.allocate(1));
            }
            assertThat(store.hot(BUCKET.id(), "k")).as("after damage was seen").isEmpty();
        }
    }

    @Test
    void theHotSetAnswersAtOnceUntilTheObjectChanges() throws IOException {
        try (var store = open(drives(folder, 1))) {
            put(store, "k", random(1, 1000));
            assertThat(store.hot(BUCKET.id(), "k")).isEmpty();
            get(store, "k");
            try (var hot = store.hot(BUCKET.id(), "k").orElseThrow()) {
                assertThat(hot.ready(0, 1000)).isTrue();
                var content = ByteBuffer.allocate(1000);
                hot.read(0, content);
                assertThat(content.array()).isEqualTo(random(1, 1000));
            }
            put(store, "k", random(2, 1000));
            assertThat(store.hot(BUCKET.id(), "k")).isEmpty();
            get(store, "k");
            delete(store, "k");
            assertThat(store.hot(BUCKET.id(), "k")).isEmpty();
        }
    }

    @Test
    void verifiedBytesAreVerifiedAgainAfterAWhile() throws IOException {
        var impatient = StoreFixture.settings(drives(folder, 1))
                .verifiedFor(Duration.ZERO)
                .build();
        try (var store = ObjectStore.open(impatient)) {
            put(store, "k", random(1, 100_000));
            try (var object = ((Lookup.Hit) store.lookup(BUCKET, "k")).object()) {
                object.read(0, ByteBuffer.allocate(10));
                assertThat(object.ready(0, 10)).isFalse();
            }
        }
    }

    @Test
    void aLostOrDamagedIndexIsMadeFromTheFiles() throws Exception {
        var paths = drives(folder, 2);
        var keys = List.of("a", "a/b", "b/", "c//d", "e/f/g", "long/" + "x".repeat(300), "plain", "norecord");
        List<ListEntry> before;
        try (var store = open(paths)) {
            for (var key : keys) {
                put(store, key, random(key.hashCode(), 2000));
                put(store, new BucketRef(8, "other"), key, random(1, 10), Durability.FSYNC);
            }
            put(store, "plain", random(5, 400 << 20 >> 8));
            delete(store, "e/f/g");
            before = store.list(BUCKET.id(), "", "", 100);
        }
        for (var path : paths) {
            var file = path.resolve("objects/shards/norecord");
            if (Files.exists(file)) {
                attributes(file).delete("sluice");
            }
        }
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var files = Files.list(paths.get(1).resolve(".sluice/index"))) {
            for (var manifest : files.filter(
                            file -> file.getFileName().toString().startsWith("MANIFEST"))
                    .toList()) {
                Files.write(manifest, random(1, 100));
            }
        }
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(store.list(BUCKET.id(), "", "", 100))
                    .filteredOn(entry -> !entry.key().equals("norecord"))
                    .isEqualTo(before.stream()
                            .filter(entry -> !entry.key().equals("norecord"))
                            .toList());
            for (var entry : before) {
                if (entry.key().equals("norecord")) {
                    assertThat(store.lookup(BUCKET, "norecord")).isInstanceOf(Lookup.Damaged.class);
                } else {
                    assertThat(get(store, entry.key())).hasSize((int) entry.size());
                }
            }
            assertThat(store.list(8, "", "", 100)).hasSize(keys.size());
            assertThat(store.stats().stream().mapToLong(DriveStats::objects).sum())
                    .isEqualTo(before.size() + keys.size());
            var newest = put(store, "after", new byte[1]).version();
            try (var object = ((Lookup.Hit) store.lookup(BUCKET, "plain")).object()) {
                assertThat(newest).isGreaterThan(object.record().version());
            }
        }
    }

    @Test
    void whenTheIndexIsLostSwappedFilesAreNotTakenForEachOther() throws Exception {
        var paths = drives(folder, 1);
        var objects = paths.getFirst().resolve("objects/shards");
        try (var store = open(paths)) {
            put(store, "a", random(1, 100));
            put(store, "b", random(2, 100));
            put(store, "whole", random(3, 100));
        }
        Harms.swap(objects.resolve("a"), objects.resolve("b"));
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(store.lookup(BUCKET, "a")).isInstanceOf(Lookup.Damaged.class);
            assertThat(store.lookup(BUCKET, "b")).isInstanceOf(Lookup.Damaged.class);
            assertThat(get(store, "whole")).isEqualTo(random(3, 100));
        }
    }

    @Test
    void whenTheIndexIsLostTheOnlyObjectOfABucketIsNotForgottenWithItsRecord() throws Exception {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "only", random(1, 100));
        }
        attributes(paths.getFirst().resolve("objects/shards/only")).delete("sluice");
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(store.lookup(BUCKET, "only")).isInstanceOf(Lookup.Damaged.class);
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(1);
            put(store, "only", random(2, 100));
            assertThat(get(store, "only")).isEqualTo(random(2, 100));
        }
    }

    @Test
    void whenTheIndexIsLostAKeyThatIsNoPathIsNotForgottenWithItsRecord() throws Exception {
        var paths = drives(folder, 1);
        var keys = List.of("healed/", "deleted/", "kept/");
        try (var store = open(paths)) {
            for (var key : keys) {
                put(store, key, random(1, 100));
            }
        }
        try (var escaped = Files.list(paths.getFirst().resolve(".sluice/escaped/" + BUCKET.id()))) {
            for (var file : escaped.toList()) {
                attributes(file).delete("sluice");
            }
        }
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(store.stats().getFirst().objects()).isEqualTo(3);
        }
        try (var store = open(paths)) {
            assertThat(keys)
                    .allSatisfy(key -> assertThat(store.lookup(BUCKET, key)).isInstanceOf(Lookup.Damaged.class));
            assertThat(store.lookup(BUCKET, "other/")).isInstanceOf(Lookup.Miss.class);
            assertThat(store.lookup(new BucketRef(8, "other"), "kept/")).isInstanceOf(Lookup.Miss.class);
            assertThatThrownBy(() -> store.list(BUCKET.id(), "", "", 10))
                    .isInstanceOf(StoreException.Damaged.class)
                    .hasMessageContaining(".sluice/escaped/7");
            assertThat(store.list(8, "", "", 10)).isEmpty();
            put(store, "healed/", random(2, 100));
            delete(store, "deleted/");
        }
        try (var store = open(paths)) {
            assertThat(get(store, "healed/")).isEqualTo(random(2, 100));
            assertThat(store.lookup(BUCKET, "deleted/")).isInstanceOf(Lookup.Miss.class);
            assertThat(store.lookup(BUCKET, "kept/")).isInstanceOf(Lookup.Damaged.class);
            assertThat(store.stats().getFirst().objects()).isEqualTo(2);
            delete(store, "healed/");
            assertThat(store.lookup(BUCKET, "healed/")).isInstanceOf(Lookup.Miss.class);
            assertThat(store.isEmpty(BUCKET.id())).isFalse();
            assertThat(store.isEmpty(8)).isTrue();
        }
    }

    @Test
    void aKeyThatOnlyItsHashTellsIsAnObjectAgainWhenItIsBroughtBackAndGoneWhenItIsTakenAway() throws Exception {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "back/", random(1, 100));
            put(store, "gone/", random(2, 100));
        }
        var records = new TreeMap<String, byte[]>();
        var escaped = paths.getFirst().resolve(".sluice/escaped/" + BUCKET.id());
        for (var name : namesIn(escaped)) {
            records.put(name, record(escaped.resolve(name)));
            attributes(escaped.resolve(name)).delete("sluice");
        }
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(store.lookup(BUCKET, "back/")).isInstanceOf(Lookup.Damaged.class);
        }
        var back = paths.getFirst().resolve(Layout.escaped(BUCKET.id(), "back/"));
        attributes(back)
                .write("sluice", ByteBuffer.wrap(records.get(back.getFileName().toString())));
        Files.delete(paths.getFirst().resolve(Layout.escaped(BUCKET.id(), "gone/")));
        try (var store = open(paths)) {
            assertThat(get(store, "back/")).isEqualTo(random(1, 100));
            assertThat(store.lookup(BUCKET, "gone/")).isInstanceOf(Lookup.Miss.class);
            assertThat(store.list(BUCKET.id(), "", "", 10)).hasSize(1);
            assertThat(store.stats().getFirst().objects()).isEqualTo(1);
        }
    }

    /// After that only the drive where the key belongs is asked.
    @Test
    void drivesAreNotSettledWithoutAKeyThatOnlyItsHashTells() throws Exception {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "dir/", random(1, 100));
        }
        attributes(paths.getFirst().resolve(Layout.escaped(BUCKET.id(), "dir/")))
                .delete("sluice");
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            store.mountpaths().attach(folder.resolve("more").toString());
            assertThat(settle(store)).hasValueSatisfying(why -> assertThat(why).contains(".sluice/escaped"));
            assertThat(store.lookup(BUCKET, "dir/")).isInstanceOf(Lookup.Damaged.class);
            put(store, "dir/", random(2, 100));
            assertThat(settle(store)).isEmpty();
            assertThat(get(store, "dir/")).isEqualTo(random(2, 100));
        }
    }

    private static Optional<String> settle(ObjectStore store) {
        var table = store.table();
        return store.settlement().settle(table.version(), table.members().keySet());
    }

    /// A loss of power may take a rename that was acknowledged: the index would do it again.
    @Test
    void whenTheIndexIsLostTheFirstObjectOfABucketIsFoundBeforeItHasItsName() throws Exception {
        var paths = drives(folder, 1);
        var content = random(1, 100_000);
        ObjectVersion version;
        try (var store = open(paths)) {
            version = put(store, "a/first", content).version();
        }
        var objects = paths.getFirst().resolve("objects/shards");
        Files.move(objects.resolve("a/first"), paths.getFirst().resolve(".sluice/work/" + version.id()));
        remove(objects);
        remove(paths.getFirst().resolve(".sluice/index"));
        try (var store = open(paths)) {
            awaitReady(store);
            assertThat(get(store, "a/first")).isEqualTo(content);
        }
    }

    @Test
    void aBucketThatWasDroppedIsNotNamedAnyMore() throws Exception {
        var paths = drives(folder, 1);
        var names = paths.getFirst().resolve(".sluice/buckets");
        try (var store = open(paths)) {
            put(store, "a", random(1, 10));
            put(store, new BucketRef(8, "other"), "a", random(1, 10), Durability.OS);
            assertThat(namesIn(names)).containsExactlyInAnyOrder(BUCKET.id() + ".shards", "8.other");
            store.dropBucket(BUCKET);
            assertThat(namesIn(names)).containsExactly("8.other");
        }
        try (var store = open(paths)) {
            put(store, new BucketRef(9, "shards"), "a", random(1, 10), Durability.FSYNC);
            assertThat(namesIn(names)).containsExactlyInAnyOrder("8.other", "9.shards");
        }
    }

    @Test
    void aBucketWhoseNameCannotBeNotedIsWrittenToAllTheSame() throws Exception {
        var paths = drives(folder, 1);
        var names = paths.getFirst().resolve(".sluice/buckets");
        var failing = new AtomicBoolean(true);
        var looks = new AtomicInteger();
        var files = FaultyFiles.with((call, path) -> {
            if (path.startsWith(".sluice/buckets/")) {
                looks.incrementAndGet();
                if (failing.get() && call.equals("create")) {
                    throw new DriveFullException("No space left on device", new IOException());
                }
            }
        });
        try (var store = ObjectStore.open(config(paths), files)) {
            put(store, "a", random(1, 10));
            assertThat(get(store, "a")).isEqualTo(random(1, 10));
            assertThat(namesIn(names)).isEmpty();
            failing.set(false);
            put(store, "b", random(1, 10));
            assertThat(namesIn(names)).containsExactly(BUCKET.id() + ".shards");
            int last = looks.get();
            put(store, "c", random(1, 10));
            assertThat(looks).hasValue(last);
        }
    }

    @Test
    void theNameOfABucketThatIsThereAlreadyIsNoted() throws Exception {
        var paths = drives(folder, 1);
        var names = paths.getFirst().resolve(".sluice/buckets");
        var looks = new AtomicInteger();
        var files = FaultyFiles.with((call, path) -> {
            if (path.startsWith(".sluice/buckets/") && looks.getAndIncrement() == 0) {
                Files.createFile(names.resolve(BUCKET.id() + ".shards")); // as an attempt that failed leaves it
            }
        });
        try (var store = ObjectStore.open(config(paths), files)) {
            put(store, "a", random(1, 10));
            int last = looks.get();
            assertThat(last).isPositive();
            put(store, "b", random(1, 10));
            assertThat(looks).hasValue(last);
        }
    }

    private static List<String> namesIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static void awaitReady(ObjectStore store) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!store.ready() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(store.ready()).isTrue();
    }

    @Test
    void aCopyTakenWhileWritingIsAStoreWithAllThatWasAcknowledged() throws Exception {
        var paths = drives(folder.resolve("live"), 2);
        try (var store = open(paths)) {
            var acknowledged = new ArrayList<String>();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 40; i++) {
                    var key = "r" + round + "/" + i;
                    put(store, key, random(i, 3000));
                    acknowledged.add(key);
                }
                delete(store, acknowledged.removeFirst());
                put(store, acknowledged.getFirst(), random(0, 7));
                var copy = folder.resolve("copy" + round);
                var copying = new ProcessBuilder(
                                "cp", "-a", folder.resolve("live").toString(), copy.toString())
                        .inheritIO()
                        .start();
                assertThat(copying.waitFor()).isZero();
                try (var reopened = open(drives(copy, 2))) {
                    awaitReady(reopened);
                    assertThat(reopened.list(BUCKET.id(), "", "", 1000)).hasSize(acknowledged.size());
                    for (var key : acknowledged) {
                        assertThat(get(reopened, key).length).isIn(3000, 7);
                    }
                }
            }
        }
    }

    @Test
    void toolsSeeWhatWasPut() throws IOException {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "dir/x.tar", random(9, 12345));
        }
        var copy = folder.resolve("copied");
        Files.copy(paths.getFirst().resolve("objects/shards/dir/x.tar"), copy, StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(copy).hasBinaryContent(random(9, 12345));
    }
}
