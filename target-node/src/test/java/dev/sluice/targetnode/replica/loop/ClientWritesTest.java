package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.RowWriter;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.membership.FollowedStates;
import dev.sluice.targetnode.replica.transfer.Announcements;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.StoreSettings;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.slots.Arriving;
import dev.sluice.targetnode.storage.slots.Lookup;
import dev.sluice.targetnode.storage.slots.Staged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Writes of a slot that one drive keeps alone. The drive stores nothing: a test says when it has.
@Timeout(60)
final class ClientWritesTest {
    private static final RocksMemory MEMORY = new RocksMemory(16 << 20, 32 << 20);
    private static final BucketRef BUCKET = new BucketRef(21, "shards");
    private static final int GROUP = 1;
    private static final int SLOT = 7;

    @TempDir
    private Path folder;

    private ObjectStore store;
    private Drive drive;
    private DriveReplicas loop;
    private LocalReplica replica;
    private ClientWrites writes;
    private RowWriter writer;
    private final CompletableFuture<Void> ordered = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile CompletableFuture<Void> stored = CompletableFuture.completedFuture(null);

    private static class Nothing implements Staged {
        @Override
        public ObjectRecord record(ObjectVersion version) {
            return new ObjectRecord(
                    BUCKET.id(),
                    "key",
                    version,
                    0,
                    1,
                    2,
                    "etag",
                    Map.of(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.empty(),
                    Optional.empty(),
                    BlockSums.of(),
                    Optional.empty(),
                    BlockSums.of());
        }

        @Override
        public Content content(int position) {
            return new Content.InMemory(new byte[0]);
        }

        @Override
        public Optional<Prepared> atOnce(Drive on, ObjectRecord record) {
            return Optional.empty();
        }

        @Override
        public Prepared prepare(Drive on, ObjectRecord record) {
            throw new IllegalStateException("nothing is stored");
        }

        @Override
        public void drop() {
            throw new IllegalStateException("nothing is stored");
        }
    }

    @BeforeEach
    void open() throws IOException {
        var settings = new StoreSettings(List.of(Files.createDirectories(folder.resolve("d1"))), MEMORY);
        store = ObjectStore.open(settings.build());
        drive = store.drives().reading().getFirst();
        loop = newLoop();
        loop.start();
        writes = new ClientWrites(new Staging(), (_, _) -> Optional.of(replica));
        writer = writer(writes);
        onLoop(() -> replica = loop.replica(GROUP, SLOT));
        primary(SlotRow.FIRST);
    }

    private RowWriter writer(ClientWrites of) {
        return new RowWriter(
                of,
                store,
                (_, _, _, _) -> {
                    throw new IllegalStateException("objects are whole");
                },
                _ -> {
                    throw new IllegalStateException("nothing is listed");
                },
                _ -> Optional.empty(),
                new NothingDamaged(),
                new Unannounced());
    }

    private static final class Unannounced implements Announcements {
        @Override
        public Optional<String> announce(LocalReplica to, SlotRow row, long bucketId, Arriving bytes) {
            return Optional.empty();
        }

        @Override
        public void end(String name) {
            throw new IllegalStateException("nothing was announced");
        }
    }

    private static final class NothingDamaged implements Mender {
        @Override
        public boolean mend(BucketRef bucket, String key, String drive) {
            throw new IllegalStateException("nothing is damaged");
        }

        @Override
        public void mendLater(BucketRef bucket, String key, String drive) {
            throw new IllegalStateException("nothing is damaged");
        }
    }

    private DriveReplicas newLoop() {
        var lease = new Lease(() -> 0);
        lease.applied(1);
        lease.promised(0, 1);
        var counter = new AtomicInteger();
        return new DriveReplicas(
                drive,
                1,
                lease,
                new SlotPages(drive, new OneGroup(FollowedStates.GROUP)),
                counter::incrementAndGet,
                this::run,
                this::ended);
    }

    private void ended(DriveReplicas over) {
        writes.abandon(over);
        ended.complete(null);
    }

    @AfterEach
    void close() {
        writes.close();
        loop.close();
        store.close();
    }

    private void run(LocalReplica of, List<Action> actions) {
        for (var action : actions) {
            switch (action) {
                case Action.Accepted(var ticket, var version) -> writes.accepted(of, ticket, version);
                case Action.Answer(var ticket, var outcome) -> writes.answered(ticket, outcome);
                case Action.StoreIntent intent -> {
                    ordered.complete(null);
                    var _ = stored.thenRun(() -> loop.post(GROUP, SLOT, new Event.Done(intent)));
                }
                case Action.Local local -> loop.post(GROUP, SLOT, new Event.Done(local));
                default -> {}
            }
        }
    }

    private void onLoop(Runnable step) {
        onLoop(loop, step);
    }

    private static void onLoop(DriveReplicas on, Runnable step) {
        var done = new CompletableFuture<Void>();
        on.run(() -> {
            step.run();
            done.complete(null);
        });
        done.join();
    }

    /// Since this epoch, in which it is alone.
    private void primary(long epoch) {
        var row = new SlotRow(epoch, List.of(new Member(drive.id(), true, 1, epoch)), epoch, epoch, List.of(), true);
        onLoop(() -> loop.handle(replica, new Event.RowApplied(row, false)));
        assertThat(replica.serving().primarySince()).isEqualTo(epoch);
    }

    private ObjectRecord put(WriteCheck check) {
        return writer.serving(BUCKET, "key").put(new Nothing(), check, Durability.FSYNC);
    }

    @Test
    void writeIsStoredInTheTermInWhichItWasJudged() {
        assertThat(put(_ -> {}).version().epoch()).isEqualTo(SlotRow.FIRST);
    }

    /// Another primary may have changed the row that the check was made on.
    @Test
    void writeThatWasJudgedInAnEarlierTermIsNotStored() {
        assertThatThrownBy(() -> put(_ -> primary(2))).isInstanceOf(StoreException.Unavailable.class);
        assertThat(ordered).isNotDone();
        assertThat(put(_ -> {}).version().epoch()).isEqualTo(2);
    }

    /// It was too late for its client, who may have been told so, and have written since.
    @Test
    void writeThatWaitedForItsKeyUntilAnotherTermIsNotStored() throws InterruptedException {
        var judging = new CountDownLatch(1);
        var judged = new CountDownLatch(1);
        var before = CompletableFuture.supplyAsync(() -> put(_ -> {
            judging.countDown();
            awaitDone(judged);
        }));
        awaitDone(judging); // in the key's gate, and nothing of it has begun
        var waiting = new CompletableFuture<ObjectRecord>();
        var thread = Thread.ofPlatform().start(() -> {
            try {
                waiting.complete(put(WriteCheck.NONE));
            } catch (RuntimeException refused) {
                waiting.completeExceptionally(refused);
            }
        });
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) { // for the key's gate
            Thread.onSpinWait();
        }
        primary(2);
        judged.countDown();
        assertThatThrownBy(before::join).cause().isInstanceOf(StoreException.Unavailable.class);
        assertThatThrownBy(waiting.orTimeout(30, TimeUnit.SECONDS)::join)
                .cause()
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("was not begun");
        assertThat(ordered).isNotDone();
        assertThat(put(WriteCheck.NONE).version().epoch()).isEqualTo(2);
    }

    @Test
    void writeOfATermThatHasEndedIsNotStored() {
        var term = writer.serving(BUCKET, "key");
        primary(2);
        assertThatThrownBy(() -> term.put(new Nothing(), WriteCheck.NONE, Durability.FSYNC))
                .isInstanceOf(StoreException.Unavailable.class);
        assertThat(ordered).isNotDone();
    }

    @Test
    void writeThatNobodyWaitsForIsNotStored() {
        assertThatThrownBy(() -> put(WriteCheck.NONE.unless(() -> true)))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("was not begun");
        assertThat(ordered).isNotDone();
        assertThat(put(WriteCheck.NONE.unless(() -> false)).version().epoch()).isEqualTo(SlotRow.FIRST);
    }

    /// Its client has been told that it was not begun.
    @Test
    void writeThatIsGivenUpBeforeItsLoopGetsToItIsNotStored() {
        writes = new ClientWrites(new Staging(), (_, _) -> Optional.of(replica), Duration.ofMillis(50));
        writer = writer(writes);
        var busy = new CountDownLatch(1);
        loop.run(() -> awaitDone(busy));
        assertThatThrownBy(() -> put(WriteCheck.NONE))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("was not begun");
        busy.countDown();
        onLoop(() -> {});
        assertThat(ordered).isNotDone();
    }

    /// Other replicas still take bytes that they began to take while these came.
    @Test
    void writeWhoseBytesAreTakenIsWaitedFor() {
        writes = new ClientWrites(new Staging(), (_, _) -> Optional.of(replica), Duration.ofMillis(50));
        writer = writer(writes);
        stored = new CompletableFuture<>();
        var asked = new AtomicInteger();
        var slow = new Nothing() {
            @Override
            public long lastTaken() {
                if (asked.incrementAndGet() == 10) {
                    stored.complete(null);
                }
                return System.nanoTime();
            }
        };
        assertThat(writer.serving(BUCKET, "key")
                        .put(slow, WriteCheck.NONE, Durability.FSYNC)
                        .version()
                        .epoch())
                .isEqualTo(SlotRow.FIRST);
    }

    private static void awaitDone(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private void requireFailedAndFree(CompletableFuture<?> write, String why) {
        assertThatThrownBy(write::join)
                .cause()
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> put(WriteCheck.NONE))
                .isInstanceOf(StoreException.Unavailable.class)
                .hasMessageContaining("this target may not answer");
        stored = CompletableFuture.completedFuture(null);
        loop = newLoop();
        loop.start();
        onLoop(() -> replica = loop.replica(GROUP, SLOT));
        primary(2);
        assertThat(put(WriteCheck.NONE).version().epoch())
                .as("no write is in the key's gate")
                .isEqualTo(2);
    }

    @Test
    void writesOfALoopThatEndsAreUnknownAndFreeTheirKeys() {
        stored = new CompletableFuture<>();
        var begun = CompletableFuture.supplyAsync(() -> put(WriteCheck.NONE));
        ordered.join();
        loop.close();
        requireFailedAndFree(begun, "it is not known");
    }

    /// Whoever ends the pending writes of the loop has done so before this write is there.
    @Test
    void writeThatIsHandedToALoopThatHasJustEndedIsNotBegunAndFreesItsKey() {
        var late = CompletableFuture.supplyAsync(() -> put(_ -> {
            loop.close();
            ended.join();
        }));
        requireFailedAndFree(late, "was not begun");
    }

    /// Else its core could get a second write of the key.
    @Test
    void deletionGoesOnWhenTheLoopOfAnotherDriveEnds() {
        var version = new ObjectVersion(1, 1);
        store(version);
        stored = new CompletableFuture<>();
        var deleting = CompletableFuture.supplyAsync(
                () -> writer.serving(BUCKET, "key").delete(WriteCheck.NONE, Durability.FSYNC));
        ordered.join();
        writes.abandon(newLoop());
        assertThat(deleting).isNotDone();
        stored.complete(null);
        assertThat(deleting).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
    }

    private void store(ObjectVersion version) {
        drive.commit(Prepared.smallPut(
                        BUCKET, Layout.work(version), new Nothing().record(version), new byte[0], new IndexBatch())
                .orElseThrow());
    }

    /// The key's slot moves to a drive that does not have it. The first one's object stays open.
    @Test
    void hotObjectOfADriveThatServesNoLongerIsNotFound() throws IOException {
        store(new ObjectVersion(1, 1));
        requireFound(true);
        var settings = new StoreSettings(List.of(Files.createDirectories(folder.resolve("other"))), MEMORY);
        try (var other = ObjectStore.open(settings.build())) {
            var before = replica;
            drive = other.drives().reading().getFirst();
            var moved = newLoop();
            moved.start();
            replica = moved.replica(GROUP, SLOT);
            var row = new SlotRow(2, List.of(new Member(drive.id(), true, 1, 2)), 2, 2, List.of(), true);
            onLoop(moved, () -> moved.handle(replica, new Event.RowApplied(row, false)));
            requireFound(false);
            moved.close();
            replica = before;
            requireFound(true);
        }
    }

    private void requireFound(boolean found) {
        var serving = writer.serving(BUCKET, "key");
        try (var looked = Opened.of(serving.look(Set.of()));
                var hot = Opened.of(serving.hot())) {
            assertThat(looked.object().isPresent()).isEqualTo(found);
            assertThat(hot.object().isPresent()).isEqualTo(found);
        }
    }

    private record Opened(Optional<StoredObject> object) implements AutoCloseable {
        static Opened of(Lookup found) {
            return new Opened(
                    found instanceof Lookup.Hit(var object) ? Optional.of(object) : Optional.<StoredObject>empty());
        }

        static Opened of(Optional<StoredObject> hot) {
            return new Opened(hot);
        }

        @Override
        public void close() {
            object.ifPresent(StoredObject::close);
        }
    }
}
