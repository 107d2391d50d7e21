package dev.sluice.targetnode.storage;

import static dev.sluice.common.peer.ScrubFinding.Action.KEPT;
import static dev.sluice.common.peer.ScrubFinding.Action.MARKED;
import static dev.sluice.common.peer.ScrubFinding.Kind.DAMAGED;
import static dev.sluice.common.peer.ScrubFinding.Kind.INDEX;
import static dev.sluice.common.peer.ScrubFinding.Kind.ORPHAN;
import static dev.sluice.common.peer.ScrubFinding.Kind.UNREADABLE;
import static dev.sluice.targetnode.storage.Harms.attributes;
import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static dev.sluice.targetnode.storage.StoreFixture.MEMORY;
import static dev.sluice.targetnode.storage.StoreFixture.drives;
import static dev.sluice.targetnode.storage.StoreFixture.get;
import static dev.sluice.targetnode.storage.StoreFixture.put;
import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.RocksIndex;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Whatever is done to a drive behind the store's back: a scrub tells of it, deletes nothing, and reads are refused.
@Timeout(120)
class ScrubTest {
    private interface Harm {
        void to(Path file, Path other) throws IOException;
    }

    private static final Map<String, Harm> HARMS = new TreeMap<>(Map.of(
            "flip", (file, _) -> flip(file, Files.size(file) / 2),
            "flip the last byte", (file, _) -> flip(file, Files.size(file) - 1),
            "truncate", (file, _) -> resize(file, Files.size(file) - 1),
            "empty", (file, _) -> resize(file, 0),
            "extend", (file, _) -> resize(file, Files.size(file) + 1),
            "swap", Harms::swap,
            "delete", (file, _) -> Files.delete(file),
            "remove the record", (file, _) -> attributes(file).delete("sluice"),
            "damage the record", (file, _) -> attributes(file).write("sluice", ByteBuffer.wrap(new byte[100]))));

    @TempDir
    private Path folder;

    private static void flip(Path file, long offset) throws IOException {
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            out.seek(offset);
            int was = out.read();
            out.seek(offset);
            out.write(was ^ 0x10);
        }
    }

    private static void resize(Path file, long size) throws IOException {
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
        }
    }

    private Path only(String below) throws IOException {
        try (var files = Files.walk(folder.resolve("d1").resolve(below))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    @Test
    void everyHarmIsFoundNothingIsDeletedAndReadsAreRefused() throws IOException {
        try (var target = new ScrubFixture(drives(folder, 1))) {
            var objects = folder.resolve("d1/objects/shards");
            var store = target.store;
            for (int size : new int[] {4096, 2_500_001}) {
                for (var harm : HARMS.entrySet()) {
                    var what = "%s, %d bytes".formatted(harm.getKey(), size);
                    put(store, "k", random(1, size));
                    put(store, "other", random(2, size));
                    put(store, "fine", random(3, size));
                    put(store, "escaped/", random(4, size));
                    get(store, "k");
                    assertThat(target.scrub()).as(what + ": before").isEmpty();
                    assertThat(target.status().objects()).isEqualTo(4);
                    assertThat(target.status().bytes()).isEqualTo(4L * size);
                    harm.getValue().to(objects.resolve("k"), objects.resolve("other"));
                    boolean both = harm.getKey().equals("swap");
                    var found = target.scrub();
                    assertThat(found.stream().map(ScrubFinding::key))
                            .as(what)
                            .containsExactlyInAnyOrderElementsOf(both ? List.of("k", "other") : List.of("k"));
                    assertThat(found).allMatch(each -> each.kind() == DAMAGED);
                    boolean byItsBytes = harm.getKey().startsWith("flip");
                    assertThat(found.getFirst().action()).as(what).isEqualTo(byItsBytes ? MARKED : KEPT);
                    assertThat(objects.resolve("k").toFile().exists())
                            .isEqualTo(!harm.getKey().equals("delete"));
                    assertThatThrownBy(() -> get(store, "k")).as(what).isInstanceOf(StoreException.Damaged.class);
                    assertThat(target.scrub()).as(what + ": again").hasSize(both ? 2 : 1);
                    put(store, "k", random(5, size));
                    put(store, "other", random(6, size));
                    assertThat(get(store, "k")).isEqualTo(random(5, size));
                    assertThat(target.scrub()).as(what + ": written anew").isEmpty();
                }
            }
        }
    }

    @Test
    void whereDamageIsMarkedNoRangeIsServed() throws IOException {
        try (var target = new ScrubFixture(drives(folder, 1))) {
            put(target.store, "k", random(1, 5 << 20));
            flip(folder.resolve("d1/objects/shards/k"), (4 << 20) + 7);
            var first = ByteBuffer.allocate(1000);
            try (var object = ((Lookup.Hit) target.store.lookup(BUCKET, "k")).object()) {
                object.read(0, first);
            }
            assertThat(target.scrub()).singleElement().satisfies(found -> {
                assertThat(found.why()).contains("block 4");
                assertThat(found.path()).isEqualTo("objects/shards/k");
                assertThat(found.bucket()).isEqualTo("shards");
            });
            assertThat(target.store.hot(BUCKET.id(), "k")).isEmpty();
            assertThat(target.store.lookup(BUCKET, "k")).isInstanceOf(Lookup.Damaged.class);
            assertThat(target.store.list(BUCKET.id(), "", "", 10))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.size()).isEqualTo(5 << 20));
        }
        try (var target = new ScrubFixture(drives(folder, 1))) {
            assertThat(target.store.lookup(BUCKET, "k")).as("after a restart").isInstanceOf(Lookup.Damaged.class);
            eventually(() -> target.status().findings() == 1);
        }
    }

    @Test
    void aMarkGoesWhenTheFileIsBroughtBack() throws IOException {
        try (var target = new ScrubFixture(drives(folder, 1))) {
            put(target.store, "k", random(1, 3 << 20));
            var file = folder.resolve("d1/objects/shards/k");
            var backup = folder.resolve("backup");
            Files.copy(file, backup, StandardCopyOption.COPY_ATTRIBUTES);
            flip(file, 5);
            assertThat(target.scrub()).hasSize(1);
            Files.copy(backup, file, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
            assertThat(target.store.lookup(BUCKET, "k")).isInstanceOf(Lookup.Damaged.class);
            assertThat(target.scrub()).isEmpty();
            assertThat(get(target.store, "k")).isEqualTo(random(1, 3 << 20));
        }
    }

    /// An object whose record does not fit its attribute.
    private static void putWithDetails(ObjectStore store, String key, byte[] content) {
        var metadata = new TreeMap<>(Map.of("long", "x".repeat(5000)));
        try (var upload = store.begin(BUCKET, key, content.length, Durability.FSYNC)) {
            upload.write(ByteBuffer.wrap(content));
            upload.commit(new CommitTerms(
                    "etag", Map.of(), new TreeMap<>(), metadata, Optional.empty(), Optional.empty(), WriteCheck.NONE));
        }
    }

    @Test
    void detailsAreCheckedToo() throws IOException {
        var harms = Map.<String, Harm>of(
                "flip", (file, _) -> flip(file, 100),
                "truncate", (file, _) -> resize(file, 4000),
                "delete", (file, _) -> Files.delete(file));
        try (var target = new ScrubFixture(drives(folder, 1))) {
            for (var harm : harms.entrySet()) {
                putWithDetails(target.store, "k", random(1, 2_000_000));
                put(target.store, "other", random(2, 100));
                assertThat(target.scrub()).as("before").isEmpty();
                harm.getValue().to(only(".sluice/aux"), folder);
                assertThat(target.scrub()).as(harm.getKey()).singleElement().satisfies(found -> {
                    assertThat(found.kind()).isEqualTo(DAMAGED);
                    assertThat(found.key()).isEqualTo("k");
                });
                assertThatThrownBy(() -> get(target.store, "k")).isInstanceOf(StoreException.Damaged.class);
            }
        }
    }

    /// The page cache may go on giving readers what the drive has lost.
    @Test
    void whatTheDriveHasIsJudgedNotWhatTheCacheHas() throws IOException {
        for (var place : List.of("objects/", ".sluice/aux/")) {
            var broken = new boolean[1];
            ScrubFixture.Medium medium = (path, _, bytes) -> {
                if (broken[0] && path.startsWith(place)) {
                    bytes.put(300, (byte) (bytes.get(300) ^ 1));
                }
            };
            try (var target = new ScrubFixture(drives(folder.resolve(place), 1), medium)) {
                putWithDetails(target.store, "k", random(1, 2_000_000));
                assertThat(target.scrub()).isEmpty();
                broken[0] = true;
                assertThat(get(target.store, "k")).isEqualTo(random(1, 2_000_000));
                assertThat(target.scrub()).as(place).singleElement().satisfies(found -> {
                    assertThat(found.kind()).isEqualTo(DAMAGED);
                    assertThat(found.action()).isEqualTo(MARKED);
                });
                assertThatThrownBy(() -> get(target.store, "k")).isInstanceOf(StoreException.Damaged.class);
            }
        }
    }

    @Test
    void damageThatIsSeenOnceOnlyIsNone() throws IOException {
        var glitches = new int[] {0};
        ScrubFixture.Medium medium = (_, _, bytes) -> {
            if (glitches[0] > 0) {
                glitches[0]--;
                bytes.put(300, (byte) (bytes.get(300) ^ 1));
            }
        };
        try (var target = new ScrubFixture(drives(folder, 1), medium)) {
            put(target.store, "k", random(1, 2_000_000));
            glitches[0] = 1;
            assertThat(target.scrub()).isEmpty();
            assertThat(glitches[0]).isZero();
        }
    }

    @Test
    void anErrorOfTheDriveIsAFindingAndTheDriveHearsOfIt() throws IOException {
        var broken = new boolean[1];
        ScrubFixture.Medium medium = (path, _, _) -> {
            if (broken[0] && path.endsWith("/k")) {
                throw new IOException("Input/output error");
            }
        };
        try (var target = new ScrubFixture(drives(folder, 1), medium)) {
            put(target.store, "a", random(1, 100));
            put(target.store, "k", random(1, 100));
            put(target.store, "z", random(1, 100));
            broken[0] = true;
            assertThat(target.scrub()).singleElement().satisfies(found -> {
                assertThat(found.kind()).isEqualTo(UNREADABLE);
                assertThat(found.key()).isEqualTo("k");
                assertThat(found.action()).isEqualTo(KEPT);
            });
            assertThat(target.status().objects()).isEqualTo(3);
            eventually(() -> target.store.stats().getFirst().errors() == 1);
        }
    }

    @Test
    void anEntryThatSaysSomethingElseIsFound() throws Exception {
        Map<String, UnaryOperator<ObjectEntry>> lies = new TreeMap<>(Map.of(
                "an older version",
                        entry -> with(
                                entry,
                                new ObjectVersion(ObjectVersion.OWN_EPOCH, 1),
                                entry.size(),
                                entry.etag(),
                                entry.details()),
                "another size", entry -> with(entry, entry.version(), entry.size() + 1, entry.etag(), entry.details()),
                "another ETag", entry -> with(entry, entry.version(), entry.size(), "e", entry.details()),
                "details", entry -> with(entry, entry.version(), entry.size(), entry.etag(), true)));
        for (var lie : lies.entrySet()) {
            var paths = drives(folder.resolve(lie.getKey()), 1);
            try (var store = StoreFixture.open(paths)) {
                put(store, "k", random(1, 5000));
                put(store, "other", random(1, 5000));
            }
            alterEntry(
                    paths.getFirst(),
                    value -> lie.getValue().apply(decoded(value)).encode());
            try (var target = new ScrubFixture(paths)) {
                assertThat(target.scrub()).as(lie.getKey()).singleElement().satisfies(found -> {
                    assertThat(found.kind()).isEqualTo(INDEX);
                    assertThat(found.action()).isEqualTo(KEPT);
                    assertThat(found.key()).isEqualTo("k");
                });
                assertThat(get(target.store, "k")).as("the object is whole").isEqualTo(random(1, 5000));
            }
        }
        var paths = drives(folder.resolve("unreadable"), 1);
        try (var store = StoreFixture.open(paths)) {
            put(store, "k", random(1, 5000));
            put(store, "other", random(1, 5000));
        }
        alterEntry(paths.getFirst(), _ -> new byte[20]);
        try (var target = new ScrubFixture(paths)) {
            assertThat(target.scrub())
                    .singleElement()
                    .satisfies(found -> assertThat(found.kind()).isEqualTo(INDEX));
        }
    }

    private static ObjectEntry with(ObjectEntry entry, ObjectVersion version, long size, String etag, boolean details) {
        return new ObjectEntry(version, size, entry.modifiedMillis(), etag, entry.escaped(), details, false);
    }

    private static ObjectEntry decoded(byte[] value) {
        try {
            return ObjectEntry.decode(value);
        } catch (IOException damaged) {
            throw new IllegalStateException(damaged);
        }
    }

    private static void alterEntry(Path drive, UnaryOperator<byte[]> change) throws Exception {
        try (var threads = new DriveThreads("alter", 1, 1)) {
            Await.io(threads.startStep(() -> {
                try (var index = RocksIndex.open(drive.resolve(".sluice/index"), MEMORY)) {
                    var key = IndexKeys.object(BUCKET.id(), "k");
                    var value = index.get(Table.OBJECTS, key).orElseThrow();
                    index.write(new IndexBatch().put(Table.OBJECTS, key, change.apply(value)), true);
                }
            }));
        }
    }

    @Test
    void filesWithoutAnEntryAreReportedAndStay() throws IOException {
        try (var target = new ScrubFixture(drives(folder, 1))) {
            var drive = folder.resolve("d1");
            for (var key : List.of("a/b", "a", "c//d", "norecord", "norecord/")) {
                put(target.store, key, random(1, 5000));
            }
            attributes(drive.resolve("objects/shards/norecord")).delete("sluice");
            var unknown = drive.resolve(".sluice/escaped/7/" + "0".repeat(64));
            var orphans = List.of(
                    drive.resolve("objects/shards/a-"),
                    drive.resolve("objects/shards/copy"),
                    drive.resolve("objects/shards/new/folder/x"),
                    drive.resolve("objects/strange/x"),
                    drive.resolve("objects/x"),
                    unknown,
                    drive.resolve(".sluice/escaped/99/x"),
                    drive.resolve(".sluice/escaped/x"));
            for (var orphan : orphans) {
                Files.createDirectories(orphan.getParent());
                Files.copy(drive.resolve("objects/shards/a/b"), orphan, StandardCopyOption.COPY_ATTRIBUTES);
            }
            attributes(unknown).delete("sluice");
            var found = target.scrub();
            assertThat(found.stream().filter(each -> each.kind() == ORPHAN).map(each -> drive.resolve(each.path())))
                    .containsExactlyInAnyOrderElementsOf(orphans);
            assertThat(found.stream().filter(each -> each.kind() != ORPHAN).map(ScrubFinding::key))
                    .containsExactly("norecord");
            assertThat(orphans).allMatch(Files::exists);
        }
    }

    @Test
    void anEscapedObjectWithoutItsRecordIsDamagedAndNoOrphan() throws IOException {
        try (var target = new ScrubFixture(drives(folder, 1))) {
            put(target.store, "dir/", random(1, 5000));
            put(target.store, "fine/", random(1, 5000));
            attributes(only(".sluice/escaped/7")).delete("sluice");
            assertThat(target.scrub()).singleElement().satisfies(found -> {
                assertThat(found.kind()).isEqualTo(DAMAGED);
                assertThat(found.path()).startsWith(".sluice/escaped/7/");
            });
        }
    }

    @Test
    void aScrubGoesOnWhereItStopped() throws Exception {
        var paths = drives(folder, 1);
        var read = new ConcurrentLinkedQueue<String>();
        var stopAt = new String[] {"objects/shards/k4"};
        var running = new ArrayList<ScrubFixture>();
        ScrubFixture.Medium medium = (path, _, _) -> {
            read.add(path);
            if (path.equals(stopAt[0])) {
                running.getFirst().scrubs.obey(ScrubFixture.STOP);
            }
        };
        try (var target = new ScrubFixture(paths, medium)) {
            running.add(target);
            for (int i = 0; i < 10; i++) {
                put(target.store, "k" + i, random(i, 3_000_000));
            }
            eventually(() -> target.status().state() == DriveScrub.State.IDLE);
            target.scrubs.obey(ScrubFixture.START);
            eventually(() -> target.status().state() == DriveScrub.State.STOPPED);
        }
        stopAt[0] = "";
        read.clear();
        try (var target = new ScrubFixture(paths, medium)) {
            eventually(() -> target.status().state() == DriveScrub.State.STOPPED);
            assertThat(target.status().objects()).isEqualTo(4);
            assertThat(read).as("stopped until it is started").isEmpty();
            target.scrub();
            assertThat(read.peek()).isEqualTo("objects/shards/k4");
            assertThat(target.status().objects()).isEqualTo(10);
            assertThat(target.status().bytes()).isEqualTo(30_000_000);
        }
    }

    @Test
    void aScrubThatARestartBrokeOffGoesOnByItself() throws Exception {
        var paths = drives(folder, 1);
        var read = new ConcurrentLinkedQueue<String>();
        var closing = new ArrayList<Thread>();
        var running = new ArrayList<ScrubFixture>();
        ScrubFixture.Medium medium = (path, _, _) -> {
            read.add(path);
            if (path.equals("objects/shards/k6") && closing.isEmpty()) {
                closing.add(Thread.ofPlatform()
                        .start(() -> running.getFirst().scrubs.close()));
                eventually(() -> closing.getFirst().getState() == Thread.State.WAITING);
            }
        };
        try (var target = new ScrubFixture(paths, medium)) {
            running.add(target);
            for (int i = 0; i < 10; i++) {
                put(target.store, "k" + i, random(i, 3_000_000));
            }
            eventually(() -> target.status().state() == DriveScrub.State.IDLE);
            target.scrubs.obey(ScrubFixture.START);
            eventually(() -> !closing.isEmpty());
            closing.getFirst().join();
        }
        read.clear();
        try (var target = new ScrubFixture(paths, medium)) {
            eventually(() -> !read.isEmpty());
            target.awaitEnd();
            assertThat(read.peek()).isEqualTo("objects/shards/k6");
            assertThat(target.status().objects()).isEqualTo(10);
        }
    }

    @Test
    void aBucketThatIsDroppedMeanwhileIsNoFinding() throws Exception {
        var dropping = new ArrayList<Thread>();
        var running = new ArrayList<ScrubFixture>();
        ScrubFixture.Medium medium = (path, _, _) -> {
            if (path.equals("objects/shards/k1") && dropping.isEmpty()) {
                var drop =
                        Thread.ofVirtual().start(() -> running.getFirst().store.dropBucket(BUCKET));
                dropping.add(drop);
                joined(drop);
            }
        };
        try (var target = new ScrubFixture(drives(folder, 1), medium)) {
            running.add(target);
            for (int i = 0; i < 4; i++) {
                put(target.store, "k" + i, random(i, 1000));
                put(target.store, new BucketRef(8, "other"), "k" + i, random(i, 1000), Durability.OS);
            }
            assertThat(target.scrub()).isEmpty();
            assertThat(dropping).isNotEmpty();
        }
    }

    /// Its files are in the trash by then, and its entries are not gone yet.
    @Test
    void aBucketThatIsJustBeingDroppedIsNoFinding() throws Exception {
        var halfway = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var medium = new ScrubFixture.Medium() {
            @Override
            public void read(String path, long offset, ByteBuffer bytes) {}

            @Override
            public void before(String call, String path) {
                if (call.equals("syncFolder") && Files.exists(folder.resolve("d1/.sluice/trash/7.objects"))) {
                    halfway.countDown();
                    await(go);
                }
            }
        };
        try (var target = new ScrubFixture(drives(folder, 1), medium)) {
            for (int i = 0; i < 4; i++) {
                put(target.store, "k" + i, random(i, 1000));
            }
            var drop = Thread.ofVirtual().start(() -> target.store.dropBucket(BUCKET));
            halfway.await();
            try {
                assertThat(target.scrub()).isEmpty();
                assertThat(target.status().objects()).isEqualTo(4);
            } finally {
                go.countDown();
                drop.join();
            }
        }
    }

    /// The file has its name by then, and the entry is not written yet: whoever looks must wait.
    @Test
    void anObjectThatIsJustBeingPublishedIsNoFinding() throws Exception {
        for (var key : List.of("replaced", "new")) {
            var halfway = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var armed = new boolean[1];
            var medium = new ScrubFixture.Medium() {
                @Override
                public void read(String path, long offset, ByteBuffer bytes) {}

                @Override
                public void after(String call, String path) {
                    if (armed[0] && List.of("rename", "createWhole").contains(call)) {
                        halfway.countDown();
                        await(go);
                    }
                }
            };
            try (var target = new ScrubFixture(drives(folder.resolve(key), 1), medium)) {
                put(target.store, "replaced", random(1, 3000));
                armed[0] = true;
                var writer = Thread.ofVirtual().start(() -> put(target.store, key, random(2, 4000)));
                halfway.await();
                eventually(() -> target.status().state() == DriveScrub.State.IDLE);
                target.scrubs.obey(ScrubFixture.START);
                eventually(() -> target.status().findings() > 0
                        || target.status().state() == DriveScrub.State.IDLE
                        || isScrubWaitingForAKey());
                go.countDown();
                writer.join();
                target.awaitEnd();
                assertThat(target.status().latest()).as(key).isEmpty();
            }
        }
    }

    private static boolean isScrubWaitingForAKey() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().endsWith("-scrub")
                        && Arrays.stream(thread.getValue())
                                .anyMatch(frame -> frame.getClassName().endsWith("KeyLocks")));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
