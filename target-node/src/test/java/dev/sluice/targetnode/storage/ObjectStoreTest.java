package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.delete;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.open;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListingPage;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoreTest {
    /// Keys that file systems find hard, all in one bucket.
    private static final List<String> ODD_KEYS = List.of(
            "a",
            "a/b",
            "a/b/c",
            "a/",
            "a//b",
            "/",
            "//",
            "/a",
            ".",
            "..",
            "../escape",
            "a/../b",
            "./a",
            "dir/",
            "dir/file",
            "with space",
            "nul\0byte",
            "caf\u00e9",
            "cafe\u0301",
            "Case",
            "case",
            "\u65e5\u672c\u8a9e",
            "\ud83d\ude80",
            "x".repeat(255),
            "x".repeat(256),
            "\u00e9".repeat(512),
            "p/".repeat(511) + "q",
            "new\nline",
            "back\\slash",
            "-",
            "%2e%2e",
            ".sluice",
            ".sluice/drive.json",
            "objects",
            "con",
            "trailing.",
            "~",
            "*?");

    @TempDir
    private Path folder;

    @Test
    void whatWasPutIsReadListedAndDeleted() throws IOException {
        var paths = drives(folder, 2);
        try (var store = open(paths)) {
            for (int size : new int[] {0, 1, 65_536, 65_537, 1 << 20, (1 << 20) + 1, 5_000_000}) {
                put(store, "size/" + size, random(size, size));
                assertThat(get(store, "size/" + size)).isEqualTo(random(size, size));
            }
            assertThat(delete(store, "size/1")).isTrue();
            assertThat(delete(store, "size/1")).isFalse();
            assertThat(store.lookup(BUCKET, "size/1")).isInstanceOf(Lookup.Miss.class);
            assertThat(store.list(BUCKET.id(), "size/", "", 100))
                    .extracting(ListEntry::key)
                    .containsExactly(
                            "size/0", "size/1048576", "size/1048577", "size/5000000", "size/65536", "size/65537");
            assertThat(store.stats().stream().mapToLong(DriveStats::objects).sum())
                    .isEqualTo(6);
        }
        try (var store = open(paths)) {
            assertThat(get(store, "size/5000000")).isEqualTo(random(5_000_000, 5_000_000));
        }
    }

    @Test
    void anObjectIsAPlainFileAtItsKeysPath() throws IOException {
        var paths = drives(folder, 1);
        try (var store = open(paths)) {
            put(store, "train/0001.tar", random(1, 3_000_000));
        }
        assertThat(paths.getFirst().resolve("objects/shards/train/0001.tar")).hasBinaryContent(random(1, 3_000_000));
    }

    @Test
    void everyLegalKeyIsAnObjectOfItsOwn() throws IOException {
        var paths = drives(folder, 1);
        var keys = new ArrayList<>(ODD_KEYS);
        java.util.Collections.shuffle(keys, new Random(4));
        try (var store = open(paths)) {
            for (var key : keys) {
                put(store, key, key.getBytes(StandardCharsets.UTF_8));
            }
            requireAll(store, keys);
        }
        try (var store = open(paths)) {
            requireAll(store, keys);
            for (var key : keys) {
                assertThat(delete(store, key)).as(key).isTrue();
            }
            assertThat(store.isEmpty(BUCKET.id())).isTrue();
        }
        assertThat(folder.toFile().list()).containsExactly("d1");
        try (var left = Files.walk(paths.getFirst().resolve("objects"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    private static void requireAll(ObjectStore store, List<String> keys) throws IOException {
        for (var key : keys) {
            assertThat(get(store, key)).as(key).isEqualTo(key.getBytes(StandardCharsets.UTF_8));
        }
        var sorted = keys.stream()
                .sorted(Comparator.comparing(key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned))
                .toList();
        assertThat(store.list(BUCKET.id(), "", "", 1000))
                .extracting(ListEntry::key)
                .isEqualTo(sorted);
    }

    @Test
    void aKeyThatIsNoUnicodeIsRefused() throws IOException {
        try (var store = open(drives(folder, 1))) {
            assertThatThrownBy(() -> put(store, "lone\ud800", new byte[1]))
                    .isInstanceOf(StoreException.InvalidArgument.class);
        }
    }

    @Test
    void pagesOfAnyLengthTogetherAreTheListing() throws IOException {
        try (var store = open(drives(folder, 3))) {
            var random = new Random(11);
            var model = new TreeSet<String>();
            for (int i = 0; i < 400; i++) {
                var key = "k" + random.nextInt(50) + "/" + random.nextInt(100);
                model.add(key);
                put(store, BUCKET, key, new byte[3], Durability.OS);
            }
            put(store, new BucketRef(8, "other"), "k1/zz", new byte[3], Durability.OS);
            for (int limit : new int[] {1, 7, 100, 1000}) {
                for (var prefix : new String[] {"", "k1", "k4/", "none"}) {
                    var seen = new ArrayList<String>();
                    var after = "";
                    List<ListEntry> page;
                    do {
                        page = store.list(BUCKET.id(), prefix, after, limit);
                        page.forEach(entry -> seen.add(entry.key()));
                        after = page.isEmpty() ? after : page.getLast().key();
                    } while (page.size() == limit);
                    assertThat(seen)
                            .isEqualTo(model.stream()
                                    .filter(key -> key.startsWith(prefix))
                                    .toList());
                }
            }
        }
    }

    @Test
    void ofKeysThatADelimiterFoldsTheFirstIsListed() throws IOException {
        try (var store = open(drives(folder, 3))) {
            var random = new Random(12);
            var model = new TreeSet<String>();
            for (int i = 0; i < 600; i++) {
                var group = random.nextInt(3) == 0 ? "large" : "k" + random.nextInt(50);
                var key = group + (random.nextInt(5) == 0 ? "" : "/") + random.nextInt(1000);
                model.add(key);
                put(store, BUCKET, key, new byte[3], Durability.OS);
            }
            put(store, new BucketRef(8, "other"), "a/zz", new byte[3], Durability.OS);
            for (int limit : new int[] {1, 7, 1000}) {
                for (var prefix : new String[] {"", "k1", "k4/", "large", "none"}) {
                    for (var from : new String[] {"", "k2", "k3/5", "large/", "large/5", "m"}) {
                        for (var delimiter : new String[] {"", "/", "1", "rge/"}) {
                            var query = new ListQuery(prefix, delimiter, from, limit);
                            assertThat(store.list(BUCKET.id(), query))
                                    .as("%s", query)
                                    .extracting(ListEntry::key)
                                    .isEqualTo(expected(model, query));
                        }
                    }
                }
            }
        }
    }

    private static List<String> expected(NavigableSet<String> keys, ListQuery query) {
        var expected = new ArrayList<String>();
        var folded = new HashSet<String>();
        for (var key : keys.tailSet(query.from(), true)) {
            int fold = ListingPage.fold(key, query.prefix(), query.delimiter());
            if (key.startsWith(query.prefix()) && (fold < 0 || folded.add(key.substring(0, fold)))) {
                expected.add(key);
            }
        }
        return expected.subList(0, Math.min(query.limit(), expected.size()));
    }

    @Test
    void conditionsAreJudgedByWhatIsThere() throws IOException {
        try (var store = open(drives(folder, 1))) {
            WriteCheck mustBeNew = present -> {
                if (present.isPresent()) {
                    throw new StoreException.PreconditionFailed("If-None-Match");
                }
            };
            for (int i = 0; i < 2; i++) {
                boolean first = i == 0;
                try (var upload = store.begin(BUCKET, "once", 3, Durability.FSYNC)) {
                    upload.write(java.nio.ByteBuffer.wrap(new byte[] {1, 2, (byte) i}));
                    var terms = new CommitTerms(
                            "e",
                            Map.of(),
                            new TreeMap<>(),
                            new TreeMap<>(),
                            Optional.empty(),
                            Optional.empty(),
                            mustBeNew);
                    if (first) {
                        upload.commit(terms);
                    } else {
                        assertThatThrownBy(() -> upload.commit(terms))
                                .isInstanceOf(StoreException.PreconditionFailed.class);
                    }
                }
            }
            assertThat(get(store, "once")).containsExactly(1, 2, 0);
        }
    }

    @Test
    void aReplacedObjectIsReadToItsEndByThoseWhoHaveItOpen() throws IOException {
        try (var store = open(drives(folder, 1))) {
            put(store, "k", random(1, 2_000_000));
            try (var old = ((Lookup.Hit) store.lookup(BUCKET, "k")).object()) {
                put(store, "k", random(2, 1_500_000));
                var bytes = java.nio.ByteBuffer.allocate(2_000_000);
                old.read(0, bytes.slice(0, 1_000_000));
                old.read(1_000_000, bytes.slice(1_000_000, 1_000_000));
                assertThat(bytes.array()).isEqualTo(random(1, 2_000_000));
            }
            assertThat(get(store, "k")).isEqualTo(random(2, 1_500_000));
        }
    }

    @Test
    void aDroppedBucketIsGoneAndItsNameIsFree() throws IOException {
        var paths = drives(folder, 2);
        var next = new BucketRef(9, BUCKET.name());
        try (var store = open(paths)) {
            put(store, "a", new byte[10]);
            put(store, "b/", new byte[10]);
            put(store, new BucketRef(8, "other"), "a", new byte[5], Durability.FSYNC);
            var late = store.begin(BUCKET, "late", 1, Durability.FSYNC);
            late.write(java.nio.ByteBuffer.wrap(new byte[1]));
            store.dropBucket(BUCKET);
            assertThatThrownBy(() -> late.commit(CommitTerms.of("e"))).isInstanceOf(StoreException.NoSuchBucket.class);
            assertThat(store.isEmpty(BUCKET.id())).isTrue();
            assertThat(store.lookup(next, "a")).isInstanceOf(Lookup.Miss.class);
            put(store, next, "a", new byte[11], Durability.FSYNC);
        }
        try (var store = open(paths)) {
            assertThat(get(store, next, "a")).hasSize(11);
            assertThat(store.stats().stream().mapToLong(DriveStats::bytes).sum())
                    .isEqualTo(16);
        }
    }

    @Test
    void writersOfOneKeyLeaveOneWholeVersion() throws Exception {
        try (var store = open(drives(folder, 1));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var versions = new ConcurrentSkipListMap<ObjectVersion, Integer>();
            var writers = new ArrayList<Future<?>>();
            for (int writer = 0; writer < 8; writer++) {
                int size = 70_000 + writer;
                writers.add(threads.submit(() -> {
                    for (int i = 0; i < 10; i++) {
                        versions.put(put(store, "hot", random(size, size)).version(), size);
                        var read = get(store, "hot");
                        assertThat(read).isEqualTo(random(read.length, read.length));
                    }
                    return size;
                }));
            }
            for (var writer : writers) {
                writer.get();
            }
            assertThat(versions).hasSize(80);
            assertThat(get(store, "hot")).hasSize(versions.lastEntry().getValue());
            assertThat(store.list(BUCKET.id(), "", "", 10).getFirst().size())
                    .isEqualTo(versions.lastEntry().getValue().longValue());
        }
    }
}
