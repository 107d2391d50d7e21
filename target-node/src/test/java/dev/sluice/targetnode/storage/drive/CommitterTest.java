package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The two threads of a drive: what one may do while the other does something else, and what it must not.
class CommitterTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");

    /// Called before each write to the index.
    private interface Before {
        void write(IndexBatch batch, boolean sync) throws IOException;
    }

    @TempDir
    private Path folder;

    private final Faults faults = new Faults();
    private volatile Before before = (_, _) -> {};
    private final CopyOnWriteArrayList<String> done = new CopyOnWriteArrayList<>();
    private Optional<Committer> committer = Optional.empty();
    private long sequence;

    @BeforeEach
    void start() throws Exception {
        Files.createDirectories(folder.resolve(".sluice"));
        try (var threads = new DriveThreads("test", 1, 10)) {
            committer = Optional.of(Await.io(threads.start(() -> {
                var files = new GuardedFiles(new SimulatedFiles(faults), folder);
                var contents = new Contents(files, watched(new MemoryIndex(faults)));
                return new Committer("test", contents, files, new Suspicion("test", (_, _) -> {}));
            })));
        }
    }

    @AfterEach
    void stop() {
        committer.orElseThrow().close();
    }

    @Test
    void theNextGroupIsDecidedWhileTheOneBeforeItIsFulfilled() {
        var decided = new CountDownLatch(2);
        before = (batch, sync) -> {
            if (sync) {
                decided.countDown();
            } else if (isOf(batch, Table.OBJECTS)) {
                await(decided); // the first group's entries wait for the second group's intents
            }
        };
        var first = commit("a");
        awaitFirst(decided);
        var second = commit("b");
        CompletableFuture.allOf(first, second).orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(done).containsExactly("a", "b");
    }

    /// Of the groups before it, the one that is decided looks at the latest one's keys only.
    @Test
    void groupOfWhichNothingIsLeftHidesNoGroupBeforeIt() {
        var decided = new CountDownLatch(2);
        before = (batch, sync) -> {
            if (sync) {
                done.add("decided");
                decided.countDown();
            } else if (isOf(batch, Table.OBJECTS)) {
                awaitInVain(decided);
                done.add("entered");
            }
        };
        var first = commit("a");
        awaitFirst(decided);
        var nothing = committer
                .orElseThrow()
                .add(new DriveWrite.Committing(new ObjectKey(BUCKET.id(), "b"), new ObjectVersion(1, 99)));
        nothing.orTimeout(30, TimeUnit.SECONDS).join(); // it is a group of its own
        var second = commit("a");
        CompletableFuture.allOf(first, second).orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(done).containsSubsequence("decided", "entered", "decided", "entered");
    }

    /// What it waits for must not happen before it returns.
    private static void awaitInVain(CountDownLatch latch) {
        try {
            var _ = latch.await(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void whatMustBeAloneWaitsForWhatIsDecidedAndNothingIsDecidedMeanwhile() {
        var alone = new CountDownLatch(1);
        var began = new CountDownLatch(1);
        var first = commit("a");
        var exclusive = committer.orElseThrow().alone(() -> {
            done.add("alone");
            began.countDown();
            await(alone);
            done.add("alone no more");
        });
        await(began);
        before = (_, sync) -> done.add(sync ? "decided" : "entered");
        var second = commit("b");
        alone.countDown();
        CompletableFuture.allOf(first, exclusive, second)
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        assertThat(done).containsSubsequence("a", "alone", "alone no more", "decided", "entered", "b");
    }

    @Test
    void nothingIsAcknowledgedAfterAGroupThatFailedInTheMiddle() {
        var decided = new CountDownLatch(2);
        var failed = new AtomicBoolean();
        before = (batch, sync) -> {
            if (sync) {
                decided.countDown();
            } else if (isOf(batch, Table.OBJECTS)) {
                await(decided);
                if (!failed.getAndSet(true)) {
                    throw new IOException("simulated");
                }
            }
        };
        var first = commit("a");
        awaitFirst(decided);
        var second = commit("b");
        for (var each : List.of(first, second, commit("c"))) {
            assertThatThrownBy(() -> each.orTimeout(30, TimeUnit.SECONDS).join())
                    .hasCauseInstanceOf(CommitFailedException.class);
        }
        assertThat(done).isEmpty();
    }

    /// Many small objects wait: one group of all of them would log more at once than a restart is to do again.
    @Test
    void groupOfSmallObjectsEndsWhenItHasMuchToLog() {
        var waiting = new CountDownLatch(1);
        var deciding = new CountDownLatch(1);
        before = (batch, sync) -> {
            deciding.countDown();
            await(waiting);
            if (sync) {
                done.add(Long.toString(batch.changes().stream()
                        .mapToLong(change -> change.operand().length)
                        .sum()));
            }
        };
        var _ = commit("first");
        await(deciding);
        var all = IntStream.range(0, 400)
                .mapToObj(i -> commit("key" + i, new byte[64 << 10]))
                .toArray(CompletableFuture[]::new);
        waiting.countDown();
        CompletableFuture.allOf(all).orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(done)
                .filteredOn(each -> !each.startsWith("key") && !each.equals("first"))
                .hasSizeBetween(3, 10)
                .allSatisfy(bytes -> assertThat(Long.parseLong(bytes)).isLessThan(9 << 20));
    }

    /// So that the next change is not in the same group.
    private static void awaitFirst(CountDownLatch ofTwo) {
        while (ofTwo.getCount() == 2) {
            Thread.onSpinWait();
        }
    }

    private static boolean isOf(IndexBatch batch, Table table) {
        return batch.changes().stream().anyMatch(change -> change.table() == table);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private CompletableFuture<Void> commit(String key) {
        return commit(key, new byte[] {7});
    }

    private CompletableFuture<Void> commit(String key, byte[] data) {
        long version = ++sequence;
        var record = new ObjectRecord(
                BUCKET.id(),
                key,
                new ObjectVersion(1, version),
                data.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                sums(data),
                Optional.empty(),
                BlockSums.of());
        var work = Layout.work(record.version());
        var change = Prepared.smallPut(BUCKET, work, record, data, new IndexBatch());
        return committer
                .orElseThrow()
                .add(new DriveWrite.Whole(change.orElseThrow()))
                .thenRun(() -> done.add(key));
    }

    private static dev.sluice.common.checksum.BlockSums sums(byte[] data) {
        var summer = new dev.sluice.common.checksum.BlockSummer();
        summer.update(0, java.nio.ByteBuffer.wrap(data));
        return summer.finish(data.length);
    }

    private DriveIndex watched(DriveIndex index) {
        return new ForwardingIndex(index) {
            @Override
            public void write(IndexBatch batch, boolean sync) throws IOException {
                before.write(batch, sync);
                synchronized (index) {
                    super.write(batch, sync);
                }
            }

            @Override
            public Optional<byte[]> get(Table table, byte[] key) throws IOException {
                synchronized (index) {
                    return super.get(table, key);
                }
            }
        };
    }
}
