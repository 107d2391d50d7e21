package dev.sluice.targetnode.replica.transfer;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Lease;
import dev.sluice.targetnode.replica.loop.LocalChanges.KnownBucket;
import dev.sluice.targetnode.replica.loop.OneGroup;
import dev.sluice.targetnode.replica.loop.SlotPages;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.membership.FollowedStates;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.StoreSettings;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.testing.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// On a real drive; the primary is a stream of bytes.
@Timeout(60)
class ArrivingCopiesTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final Node PRIMARY = new Node(new NodeId("target002"), Role.TARGET, "http://h:1", "", 1);
    private static final KnownBucket BUCKET = new KnownBucket(new BucketRef(3, "bucket"), true);
    private static final byte[] CONTENT = Bytes.random(1, (1 << 20) + 5);
    private static final int AT_ONCE = 32;
    private static final int MOST = 64;

    @TempDir
    private Path folder;

    private final RocksMemory memory = new RocksMemory(8 << 20, 8 << 20);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile CountDownLatch primary = new CountDownLatch(0);
    private ObjectStore store;
    private DriveReplicas loop;
    private ArrivingCopies copies;

    @BeforeEach
    void open() throws IOException {
        var settings = new StoreSettings(List.of(Files.createDirectories(folder.resolve("d1"))), memory);
        store = ObjectStore.open(settings.build());
        loop = newLoop(store.drives().reading().getFirst());
        loop.start();
        copies = new ArrivingCopies(
                new ReplicaParts(
                        SELF,
                        new Primary(),
                        store,
                        new Staging(),
                        _ -> Optional.of(loop),
                        () -> Optional.empty(),
                        threads),
                now::get);
    }

    private static DriveReplicas newLoop(Drive drive) {
        return new DriveReplicas(
                drive,
                1,
                new Lease(() -> 0),
                new SlotPages(drive, new OneGroup(FollowedStates.GROUP)),
                () -> 1,
                (_, _) -> {},
                _ -> {});
    }

    @AfterEach
    void close() {
        primary.countDown();
        threads.close();
        loop.close();
        store.close();
        memory.close();
    }

    private final class Primary implements ReplicaPeers {
        @Override
        public void deliver(PeerAddress to, byte[] batch) {
            throw new IllegalStateException("no messages");
        }

        @Override
        public void ping(PeerAddress to) {
            throw new IllegalStateException("no pings");
        }

        @Override
        public SortedMap<String, Integer> writable(PeerAddress to) {
            throw new IllegalStateException("no drive is asked");
        }

        @Override
        public Content content(PeerAddress from, String query, Duration firstByte) {
            asked.incrementAndGet();
            return new Content(0, Slice.NONE, new Held());
        }
    }

    private final class Held extends InputStream {
        private final InputStream all = new ByteArrayInputStream(CONTENT);

        @Override
        public int read() {
            throw new IllegalStateException("by pieces");
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            try {
                primary.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return all.read(into, offset, length);
        }
    }

    private static ObjectRecord record(byte[] data) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(data));
        return new ObjectRecord(
                BUCKET.ref().id(),
                "k",
                new ObjectVersion(5, 1),
                data.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                summer.finish(data.length),
                Optional.empty(),
                BlockSums.of());
    }

    private void begin(String name) {
        copies.begin(loop, PRIMARY, BUCKET, new Message.Arriving(BUCKET.ref().id(), name, 0, CONTENT.length));
    }

    private Optional<ContentFetch> of(String name) {
        return copies.of(loop, BUCKET, name, record(CONTENT));
    }

    private int files() {
        return files(0);
    }

    private int whole() {
        return files(CONTENT.length);
    }

    private int files(int length) {
        try (var files = Files.list(folder.resolve("d1/.sluice/work"))) {
            return (int) files.filter(file -> file.toFile().length() >= length).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isUsable(String name) {
        var copy = of(name);
        copy.ifPresent(ContentFetch::close);
        return copy.isPresent();
    }

    @Test
    void aWriteWaitsForItsCopy() {
        primary = new CountDownLatch(1);
        begin("a");
        var found = CompletableFuture.supplyAsync(() -> of("a"), threads);
        assertThat(found).isNotDone();
        primary.countDown();
        assertThat(found.join()).isPresent().get().satisfies(ContentFetch::close);
        assertThat(of("a")).as("again").isEmpty();
        eventually(() -> files() == 0);
    }

    @Test
    void whatIsNotTheObjectIsNotUsed() {
        begin("a");
        begin("b");
        var other = CONTENT.clone();
        other[0] ^= 1;
        assertThat(copies.of(loop, BUCKET, "a", record(other))).isEmpty();
        var unsynced = new KnownBucket(BUCKET.ref(), false);
        assertThat(copies.of(loop, unsynced, "b", record(CONTENT))).isEmpty();
        eventually(() -> files() == 0);
    }

    @Test
    void whatNoWriteNamesGoesAfterAMinute() {
        begin("a");
        eventually(() -> whole() == 1);
        now.set(Duration.ofSeconds(59).toNanos());
        copies.sweep();
        begin("b");
        assertThat(isUsable("b")).isTrue();
        now.set(Duration.ofSeconds(61).toNanos());
        copies.sweep();
        assertThat(of("a")).isEmpty();
        eventually(() -> files() == 0);
    }

    @Test
    void onlySoManyAreMadeAtOnce() {
        primary = new CountDownLatch(1);
        for (int i = 0; i < AT_ONCE + 5; i++) {
            begin("n" + i);
        }
        primary.countDown();
        eventually(() -> whole() == AT_ONCE);
        assertThat(asked).hasValue(AT_ONCE);
        assertThat(of("n" + AT_ONCE)).isEmpty();
        eventually(() -> {
            begin("later");
            return isUsable("later");
        });
    }

    @Test
    void thoseThatWaitMakeRoomAndTheOldestGoesFirst() {
        for (int i = 0; i < MOST + 1; i++) {
            now.incrementAndGet();
            begin("n" + i);
            int made = i + 1;
            eventually(() -> whole() == Math.min(made, MOST));
        }
        eventually(() -> isUsable("n" + MOST));
        assertThat(of("n0")).isEmpty();
        assertThat(isUsable("n1")).isTrue();
        eventually(() -> {
            copies.dropWaiting(loop);
            return files() == 0;
        });
    }

    private Staging.Bytes refuse(AtomicInteger tries) {
        tries.incrementAndGet();
        throw new StoreException.NoSpace("full");
    }

    @Test
    void copiesThatWaitMakeRoomForWhatIsToBeStored() throws IOException {
        var tries = new AtomicInteger();
        assertThatThrownBy(() -> copies.makingRoom(loop, () -> refuse(tries)))
                .isInstanceOf(StoreException.NoSpace.class);
        assertThat(tries).as("nothing takes room").hasValue(1);
        begin("a");
        eventually(() -> whole() == 1);
        eventually(() -> {
            begin("b");
            return isUsable("b");
        });
        var stored = new Staging()
                .refusing(
                        loop,
                        new Slice(new ObjectVersion(5, 1), 0),
                        new StoreException.NoSpace("stands for an object"));
        assertThat(copies.makingRoom(loop, () -> files() > 0 ? refuse(tries) : stored))
                .isEqualTo(stored);
        assertThat(of("a")).isEmpty();
    }

    @Test
    void nothingIsLeftOfADriveThatTakesNoPart() {
        primary = new CountDownLatch(1);
        begin("coming");
        eventually(() -> files() == 1);
        copies.ended(loop);
        primary.countDown();
        eventually(() -> files() == 0);
        assertThat(of("coming")).isEmpty();
    }
}
