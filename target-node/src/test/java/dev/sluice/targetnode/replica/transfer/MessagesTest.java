package dev.sluice.targetnode.replica.transfer;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterState;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.loop.AppliedState;
import dev.sluice.targetnode.replica.loop.ClientWrites;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.replica.loop.Lease;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.OneGroup;
import dev.sluice.targetnode.replica.loop.RecordBytes;
import dev.sluice.targetnode.replica.loop.SlotPages;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.membership.FollowedStates;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.testing.Bytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A prepared write comes to a real drive, with bytes that are fetched. The core orders changes; nobody carries
/// them out.
@Timeout(60)
class MessagesTest {
    private static final NodeId SELF = new NodeId("target001");
    private static final NodeId OTHER = new NodeId("target002");
    private static final String SENDER = "drive of target002";
    private static final int SLOT = 7;
    private static final long EPOCH = 4;
    private static final ObjectVersion VERSION = new ObjectVersion(EPOCH, 2);

    @TempDir
    private Path folder;

    private final byte[] content = Bytes.random(1, 300_000);
    private final Staging staging = new Staging();
    private final Map<String, DriveReplicas> loops = new ConcurrentHashMap<>();

    /// Whether the bytes were there when the change was ordered that stores them.
    private final List<Boolean> ordered = new CopyOnWriteArrayList<>();

    /// What was handed to other threads and has not begun.
    private final Deque<Runnable> tasks = new ConcurrentLinkedDeque<>();

    private Runnable whileFetched = () -> {};
    private TargetFixture target;
    private Drive drive;
    private ObjectRecord record;
    private int group;
    private ContentTransfer transfer;
    private Messages messages;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
        drive = target.store().drives().reading().getFirst();
        var replicated = BucketProperties.defaults(Optional.empty()).withReplicas(2);
        var state = Planner.next(
                ClusterState.create("c", new TreeSet<>(List.of(SELF, OTHER)), new TreeMap<>()),
                join(SELF),
                join(OTHER),
                registration(SELF, drive.id()),
                registration(OTHER, SENDER),
                new Command.CreateBucket("shards", 1, replicated));
        var bucket = state.buckets().find("shards").orElseThrow();
        group = bucket.group();
        record = record(bucket.id());
        var applied = Optional.of(AppliedState.of(state));
        var writes = new ClientWrites(staging, (_, _) -> Optional.empty());
        var parts = new ReplicaParts(
                SELF,
                new Sender(),
                target.store(),
                staging,
                id -> Optional.ofNullable(loops.get(id)),
                () -> applied,
                tasks::add);
        messages = new Messages(parts, writes);
        transfer = new ContentTransfer(parts);
        messages.fetchBy(transfer);
        begin();
    }

    @AfterEach
    void close() {
        loops.values().forEach(DriveReplicas::close);
        messages.close();
        target.close();
    }

    private static Command join(NodeId id) {
        return new Command.Join(new Node(id, Role.TARGET, "http://" + id, "", 1));
    }

    private static Command registration(NodeId id, String drive) {
        return new Command.Register(id, "nonce", 0, "boot", List.of(new Command.RegisteredDrive(drive, 1, true)));
    }

    private ObjectRecord record(long bucket) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        return new ObjectRecord(
                bucket,
                "k",
                VERSION,
                content.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                summer.finish(content.length),
                Optional.empty(),
                BlockSums.of());
    }

    /// Has the object.
    private final class Sender implements ReplicaPeers {
        @Override
        public void deliver(PeerAddress to, byte[] batch) {}

        @Override
        public void ping(PeerAddress to) {}

        @Override
        public SortedMap<String, Integer> writable(PeerAddress to) {
            throw new UnsupportedOperationException("no drive is asked");
        }

        @Override
        public Content content(PeerAddress from, String query, Duration firstByte) {
            whileFetched.run();
            var head = RecordBytes.encode(record);
            var body = Arrays.copyOf(head, head.length + content.length);
            System.arraycopy(content, 0, body, head.length, content.length);
            return new Content(head.length, Slice.NONE, new ByteArrayInputStream(body));
        }
    }

    /// A loop of the drive.
    private DriveReplicas begin() {
        var loop = new DriveReplicas(
                drive,
                1,
                new Lease(() -> 0),
                new SlotPages(drive, new OneGroup(FollowedStates.GROUP)),
                () -> 1,
                this::run,
                staging::ended);
        loops.put(drive.id(), loop);
        loop.start();
        return loop;
    }

    private DriveReplicas loop() {
        return loops.values().iterator().next();
    }

    private void run(LocalReplica replica, List<Action> actions) {
        for (var action : actions) {
            if (action instanceof Action.StoreIntent(var intent)) {
                ordered.add(staging.take(replica.loop(), intent.slice()).isPresent());
            }
        }
    }

    /// The drive is an in-sync member of the slot.
    private void applyRow() {
        applyRow(EPOCH);
    }

    private void applyRow(long epoch) {
        var members = List.of(new Member(SENDER, true, 2, 1), new Member(drive.id(), true, 1, 1));
        var row = new SlotRow(epoch, members, 1, 1, List.of(), true);
        loop().run(() -> loop().handle(group, SLOT, new Event.RowApplied(row, false)));
    }

    /// The message comes.
    private void come() throws IOException {
        come(EPOCH);
    }

    private void come(long epoch) throws IOException {
        var key = new ObjectKey(record.bucketId(), record.key());
        var prepare = new Message.Prepare(epoch, key, VERSION, false, 0, Optional.empty(), new ObjectVersion(1, 0));
        var attached = new Envelope.Attached(RecordBytes.encode(record), Optional.empty());
        var message =
                EnvelopeCodec.encode(new Envelope(group, SLOT, SENDER, drive.id(), prepare, Optional.of(attached)));
        messages.take(
                OTHER,
                ByteBuffer.allocate(Integer.BYTES + message.length)
                        .putInt(message.length)
                        .put(message)
                        .array());
    }

    /// What was handed to other threads, the newest first.
    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.removeLast().run();
        }
    }

    /// Until the loop has done what was posted.
    private void awaitLoop() {
        var done = new CompletableFuture<Void>();
        loop().run(() -> done.complete(null));
        done.join();
    }

    private long stagingFiles() {
        try (var files = Files.list(target.drive().resolve(Layout.WORK))) {
            return files.count();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /// The step that asks the core is posted, and never done. The next loop of the drive takes the write.
    @Test
    void preparedWriteIsTakenAfterTheLoopEndedThatItHadComeFor() throws Exception {
        var held = new CountDownLatch(1);
        var first = loop();
        first.run(() -> awaitUninterruptibly(held));
        come();
        runTasks();
        assertThat(stagingFiles()).isEqualTo(1);
        first.close();
        held.countDown();
        eventually(first::isOver);
        eventually(() -> stagingFiles() == 0);
        begin();
        applyRow();
        come();
        runTasks();
        awaitLoop();
        assertThat(ordered).containsExactly(true);
    }

    private static void awaitUninterruptibly(CountDownLatch held) {
        boolean done = false;
        while (!done) {
            try {
                held.await();
                done = true;
            } catch (InterruptedException _) {
                // the loop is closed
            }
        }
    }

    @Test
    void bytesThatComeAfterTheirLoopEndedDoNotStay() throws Exception {
        var first = loop();
        whileFetched = () -> {
            first.close();
            eventually(first::isOver);
        };
        come();
        runTasks();
        eventually(() -> stagingFiles() == 0);
        assertThat(staging.take(first, new Slice(VERSION, 0))).isEmpty();
        assertThat(staging.coming(first, new Slice(VERSION, 0)))
                .as("it takes nothing more")
                .isFalse();
    }

    /// The message is of an epoch before the drive's row, and comes again.
    @Test
    void bytesOfAnUnwantedMessageAreDroppedBeforeItMayComeAgain() throws Exception {
        applyRow(EPOCH + 1);
        come(EPOCH);
        tasks.removeLast().run();
        awaitLoop();
        assertThat(ordered).isEmpty();
        var held = new CountDownLatch(1);
        loop().run(() -> awaitUninterruptibly(held));
        come(EPOCH + 1);
        runTasks();
        held.countDown();
        awaitLoop();
        assertThat(ordered).containsExactly(true);
    }

    /// The message is a step ahead of the drive's row.
    @Test
    void earlyWriteIsStoredWithItsRowAndItsBytesComeOnce() throws Exception {
        come();
        runTasks();
        awaitLoop();
        assertThat(ordered).isEmpty();
        come();
        awaitLoop();
        assertThat(tasks).as("its bytes are here").isEmpty();
        applyRow();
        awaitLoop();
        assertThat(ordered).containsExactly(true);
        assertThat(loop().earlyMessages()).isEqualTo(1);
    }

    @Test
    void earlyWriteThatIsSentAgainInANewerEpochKeepsItsBytes() throws Exception {
        come(EPOCH);
        runTasks();
        awaitLoop();
        come(EPOCH + 1);
        awaitLoop();
        assertThat(tasks).isEmpty();
        applyRow(EPOCH + 1);
        awaitLoop();
        assertThat(ordered).containsExactly(true);
    }

    /// A large one may be fetched for as long as several epochs take.
    @Test
    void newestMessageCountsOfAWriteThatWasSentAgainWhileItsBytesCame() throws Exception {
        come(EPOCH);
        applyRow(EPOCH + 1);
        come(EPOCH + 1);
        awaitLoop();
        runTasks();
        awaitLoop();
        assertThat(ordered).containsExactly(true);
    }

    /// The primary waits for an answer in the epoch in which it asked last.
    @Test
    void writeThatIsSentAgainWhileItIsStoredIsHandedIn() throws Exception {
        applyRow(EPOCH);
        come(EPOCH);
        runTasks();
        awaitLoop();
        applyRow(EPOCH + 1);
        come(EPOCH + 1);
        awaitLoop();
        assertThat(tasks).isEmpty();
        var answered = new CompletableFuture<List<Action>>();
        var key = new ObjectKey(record.bucketId(), record.key());
        loop().run(() -> answered.complete(loop().handle(
                        group, SLOT, new Event.Done(new Action.StoreIntent(new OpenIntent(key, VERSION, false, 0))))));
        assertThat(answered.join()).contains(new Action.Send(SENDER, new Message.Prepared(EPOCH + 1, key, VERSION)));
    }
}
