package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.files.DriveThreads;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.space.AccessTimes;
import dev.sluice.targetnode.storage.space.Agreements;
import dev.sluice.targetnode.storage.space.FreeSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One drive (mountpath) at work: its contents, the threads that may touch it, the thread that commits and the one
/// that tidies up. Callers are virtual threads, which wait; nothing here blocks an event loop.
public final class Drive implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Drive.class);
    private static final int SETTLE_AT = 4096;
    private static final int PURGE_STEP = 256;
    private static final int OLD_NOTES = 1 << 16;
    /// How many files may wait to be closed before whoever opens another has to close one.
    private static final int TO_CLOSE = 256;

    /// For room in the queue.
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final String id;
    private final DriveSettings settings;
    private final GuardedFiles files;
    private final Contents contents;
    private final DriveThreads threads;
    private final Committer committer;
    private final Suspicion suspicion;
    private final FreeSpace space;
    private final AccessTimes accessTimes;
    private final Agreements agreements;
    private final DriveStore store;
    private final DriveUploads uploads;
    private final DriveMarks marks;
    private final ArrayBlockingQueue<byte[]> oldNotes = new ArrayBlockingQueue<>(OLD_NOTES);
    private final LinkedBlockingQueue<Runnable> toClose = new LinkedBlockingQueue<>();
    private final Thread tidier;
    private final ReentrantReadWriteLock guests = new ReentrantReadWriteLock();
    private volatile boolean known;
    private volatile boolean ready;
    private volatile boolean frozen;
    private volatile boolean closing;
    private volatile boolean ended;

    /// Takes a drive whose files are attached and whose index is open. Not [#ready] before [#start].
    public Drive(String id, GuardedFiles files, DriveIndex index, DriveSettings settings, Suspicion suspicion) {
        this.id = id;
        this.settings = settings;
        this.files = files;
        this.contents = new Contents(files, index);
        this.suspicion = suspicion;
        this.space = new FreeSpace(id, files, settings.reserveBytes(), settings.watermarks());
        this.accessTimes = new AccessTimes(settings.minutes(), index);
        this.agreements = new Agreements(index);
        this.store = new DriveStore(contents);
        this.uploads = new DriveUploads(contents);
        this.marks = new DriveMarks(index);
        this.threads = new DriveThreads(id, settings.threads(), settings.queue(), settings.queuedBytes());
        this.committer = new Committer(id, contents, files, suspicion);
        this.tidier = new DriveThread(this::tidy, id + "-tidy");
    }

    /// Repairs what a crash left. The index is made anew first when it is not whole; that may take long.
    ///
    /// @param whenKnown run when the contents are known, before the drive is ready
    /// @return completes when the drive is ready
    public CompletableFuture<Void> start(Committer.Alone whenKnown) {
        return threads.startStep(() -> {
            try {
                space.refresh();
                var start = new DriveStart(contents);
                if (!start.isIndexed()) {
                    LOG.info("drive {} has no whole index: making it from the files", id);
                    start.rebuild();
                }
                start.recover();
                marks.recordOwner(id);
                known = true;
                whenKnown.run();
                tidier.start();
                ready = true;
            } catch (IOException | RuntimeException failure) {
                suspicion.add("start", failure);
                throw failure;
            }
        });
    }

    /// Whether a start is short: the index is whole and tells how much each bucket has, or there is nothing to make
    /// one from.
    public boolean startsAtOnce() {
        var start = new DriveStart(contents);
        return call(() -> (start.isIndexed() && start.isCounted())
                || (FolderWalk.isEmpty(files, Layout.OBJECTS)
                        && FolderWalk.isEmpty(files, Layout.SLICES)
                        && FolderWalk.isEmpty(files, Layout.ESCAPED)
                        && FolderWalk.isEmpty(files, Layout.UPLOADS)));
    }

    /// Whether what it has is known, though it may not be ready yet.
    public boolean known() {
        return known;
    }

    public String id() {
        return id;
    }

    public boolean ready() {
        return ready;
    }

    /// Nobody who asks later is to get anything from it: the first step of taking it out.
    public void retire() {
        suspicion.mark().remove();
        stopServing();
    }

    private void stopServing() {
        space.end();
        ready = false;
    }

    /// From now on it is only read; nothing is tidied.
    public void freeze() {
        suspicion.mark().remove();
        space.end();
        frozen = true;
    }

    /// Whether whoever works on it for long may go on: it is ready and takes changes.
    public boolean serves() {
        return ready && !frozen;
    }

    /// Lets a drive thread that is not one of its own work on it, until it calls [#leave]: the drive is not closed
    /// before. It must leave soon after the drive has ceased to serve.
    ///
    /// @return false when the drive does not serve
    public boolean enter() {
        if (!guests.readLock().tryLock()) {
            return false;
        }
        if (!serves()) {
            leave();
            return false;
        }
        return true;
    }

    /// On the thread that entered.
    public void leave() {
        guests.readLock().unlock();
    }

    Contents contents() {
        return contents;
    }

    public DriveStore store() {
        return store;
    }

    public DriveUploads uploads() {
        return uploads;
    }

    public DriveMarks marks() {
        return marks;
    }

    public FreeSpace space() {
        return space;
    }

    public AccessTimes accessTimes() {
        return accessTimes;
    }

    public Agreements agreements() {
        return agreements;
    }

    /// Says that nothing written in this boot is lost, as long as nothing fails.
    public KeptWritesMark keptWrites() {
        return suspicion.mark();
    }

    public Suspicion suspicion() {
        return suspicion;
    }

    /// How many changes a start would do again.
    public int unsettled() {
        return contents.unsettled();
    }

    public int waiting() {
        return threads.waiting();
    }

    /// Of bodies that it is to write.
    public long waitingBytes() {
        return threads.waitingBytes();
    }

    /// How many calls it takes at once; others wait.
    public int threads() {
        return settings.threads();
    }

    /// To be called on a drive thread before anything is said to be damaged.
    ///
    /// @throws IOException when the whole drive is gone, or another one is in its place
    public void requireThere() throws IOException {
        files.requireThere();
    }

    /// Starts work on the drive's threads. Never blocks; an I/O failure arrives as a StoreException.
    public <T> CompletableFuture<T> start(DriveThreads.Work<T> work) {
        return threads.start(telling(work));
    }

    /// The same without a result.
    public CompletableFuture<Void> startStep(DriveThreads.Step step) {
        return threads.startStep(telling(step));
    }

    /// The same for a piece of a body: what waits for a slow drive is bounded in bytes too.
    public CompletableFuture<Void> startWriting(int length, DriveThreads.Step step) {
        return threads.startWriting(length, telling(step));
    }

    /// @throws StoreException.Unavailable when a body would be refused at its first piece
    public void requireRoom() {
        threads.requireRoom();
    }

    private DriveThreads.Step telling(DriveThreads.Step step) {
        DriveThreads.Work<String> work = () -> {
            step.run();
            return id;
        };
        return telling(work)::run;
    }

    private <T> DriveThreads.Work<T> telling(DriveThreads.Work<T> work) {
        return () -> {
            closeOneOfMany();
            try {
                return requiringThere(work);
            } catch (IOException failure) {
                throw failed(failure);
            }
        };
    }

    private <T> T requiringThere(DriveThreads.Work<T> work) throws Exception {
        try {
            return work.run();
        } catch (StoreException.Damaged damaged) {
            requireThere();
            throw damaged;
        }
    }

    /// Does work on the drive's threads and waits for it.
    public <T> T call(DriveThreads.Work<T> work) {
        return Await.whole(start(work));
    }

    /// Waits for work that nobody would begin anew cheaply: it is started again for a while where the queue is full.
    public <T> T patiently(Supplier<CompletableFuture<T>> starting) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return Await.whole(starting.get());
            } catch (StoreException.Busy busy) {
                if (System.nanoTime() - end > 0 || !serves()) {
                    throw busy;
                }
                Await.pause(PAUSE);
            }
        }
    }

    /// As [#call], but empty where bytes cannot be read.
    ///
    /// @throws StoreException.DriveFailed when the whole drive is gone
    public <T> Optional<T> callUnlessUnreadable(DriveThreads.Work<T> work) {
        try {
            return Optional.of(call(work));
        } catch (StoreException.DriveFailed unreadable) {
            LOG.warn("drive {}: {}", id, unreadable.getMessage());
            confirmThere();
            return Optional.empty();
        }
    }

    /// Waits until it is known. Throws as [#requireThere].
    public void confirmThere() {
        Await.whole(startStep(this::requireThere));
    }

    /// Commits a prepared change and waits until it is as durable as it is to be.
    public void commit(Prepared change) {
        Await.whole(begin(change));
    }

    // ---- writes that are prepared now and committed or aborted later
    //
    // What follows a future of these runs on a thread that commits, so it must not block.

    /// Prepares a write: its intent is open from now on, durable if the change is to be, and nothing is visible. Never
    /// blocks. The same version again has no second effect; its staging file must not be written again.
    ///
    /// @return fails with IllegalStateException when the key has an open intent of another version, with
    /// StoreException.Unavailable when too many are open; nothing is written then
    public CompletableFuture<Void> prepare(Prepared change) {
        return told(committer.add(new DriveWrite.Opening(change)));
    }

    /// Commits an open intent, without a sync. Never blocks. Without such an intent it has no effect.
    ///
    /// @return completes when readers see it
    public CompletableFuture<Void> commitOpen(long bucketId, String key, ObjectVersion version) {
        return told(committer.add(new DriveWrite.Committing(new ObjectKey(bucketId, key), version)));
    }

    /// Aborts an open intent. Never blocks. Without such an intent it has no effect.
    ///
    /// @param sync whether that must be durable when it completes
    public CompletableFuture<Void> abortOpen(long bucketId, String key, ObjectVersion version, boolean sync) {
        return told(committer.add(new DriveWrite.Aborting(new ObjectKey(bucketId, key), version, sync)));
    }

    /// All that are open, in the order of their versions. On any thread.
    public List<OpenIntent> openIntents() {
        return contents.open().told();
    }

    /// On any thread.
    public Optional<OpenIntent> openIntent(long bucketId, String key) {
        return contents.open().get(new ObjectKey(bucketId, key)).map(OpenIntents.Open::told);
    }

    private CompletableFuture<Void> told(CompletableFuture<Void> begun) {
        var told = new CompletableFuture<Void>();
        var _ = begun.whenComplete((_, failure) -> {
            try {
                switch (failure) {
                    case null -> told.complete(null);
                    case IOException drives -> told.completeExceptionally(failed(drives));
                    default -> told.completeExceptionally(failure);
                }
            } catch (RuntimeException | Error bug) { // else somebody would wait for ever
                told.completeExceptionally(bug);
            }
        });
        return told;
    }

    /// Begins to commit a prepared change. Never blocks; to be waited for. The version of an open intent is
    /// refused with IllegalStateException: it is to be committed as such.
    public CompletableFuture<Void> begin(Prepared change) {
        return told(committer.add(new DriveWrite.Whole(change)));
    }

    /// Whether a commit that failed may be done nevertheless, which is seen when the drive is back.
    public static boolean isUnknown(StoreException failure) {
        return failure.getCause() instanceof CommitFailedException;
    }

    /// A note is not needed any more; it goes with the next tidying, or is looked at once more after a crash.
    public void forgetNote(byte[] note) {
        var _ = oldNotes.offer(note);
    }

    /// Commits prepared changes of different keys together, and waits for all. On a thread of its own.
    ///
    /// @return for each whether it was done; what was not was refused
    public List<Boolean> commitTogether(List<Prepared> changes) {
        var started = changes.stream()
                .map(change -> committer.add(new DriveWrite.Whole(change)))
                .toList();
        var results = new ArrayList<Boolean>();
        Optional<IOException> failed = Optional.empty();
        for (var each : started) {
            try {
                Await.io(each);
                results.add(true);
            } catch (IOException failure) {
                failed = Optional.of(failure);
            } catch (StoreException _) {
                results.add(false);
            }
        }
        if (failed.isPresent()) {
            throw failed(failed.get()); // once: all of them failed as the drive did
        }
        return results;
    }

    /// Runs something that must not run beside a commit, and waits for it.
    public void alone(Committer.Alone work) {
        Await.whole(told(committer.alone(work)));
    }

    private StoreException failed(IOException failure) {
        if (failure instanceof DriveFullException) {
            var _ = startStep(() -> space.refreshRanOut()); // its own failure is told there
            return space.ranOut();
        }
        if (!(failure instanceof CommitFailedException)) { // which the committer told of
            suspicion.add("I/O", failure);
        }
        return new StoreException.DriveFailed("drive " + id + " failed: " + failure.getMessage(), failure);
    }

    /// Closes a file from any thread, without waiting: the last close of a deleted file may take the drive long. How
    /// many files wait is bounded where files are opened ([#closeOneOfMany]), for who lets go may be an event loop.
    public void closeLater(DriveFile file) {
        toClose.add(file::close);
        if (ended) {
            new DriveThread(this::closeFiles, id + "-late").start();
        }
    }

    /// Before each work on the drive's threads, which opens one file at most: so a drive that is slow to close files
    /// does not open more than it closes.
    private void closeOneOfMany() {
        if (toClose.size() > TO_CLOSE) {
            closeNext();
        }
    }

    private void closeNext() {
        var close = toClose.poll();
        if (close != null) {
            close(close);
        }
    }

    /// A failure is the drive's, and not that of what this thread does besides.
    private void close(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException failure) {
            suspicion.add("closing a file", failure);
        }
    }

    private void closeFiles() {
        while (!toClose.isEmpty()) {
            closeNext();
        }
    }

    private void tidy() {
        try {
            tidyUntilClosing();
        } finally {
            contents.endPurge();
        }
    }

    private void tidyUntilClosing() {
        long settled = System.nanoTime();
        boolean more = true;
        while (!closing) {
            try {
                var close = toClose.poll(more ? 1 : settings.settleAfter().toMillis(), TimeUnit.MILLISECONDS);
                if (close != null) {
                    close(close);
                    for (int left = toClose.size(); left > 0; left--) {
                        closeNext();
                    }
                }
                if (frozen) {
                    more = false;
                    continue;
                }
                boolean due =
                        System.nanoTime() - settled > settings.settleAfter().toNanos();
                if (due || contents.unsettled() >= SETTLE_AT) {
                    contents.settle();
                    space.refresh();
                    space.keepBallast();
                    accessTimes.flush();
                    agreements.flush();
                    deleteOldNotes();
                    settled = System.nanoTime();
                }
                if (due || more) {
                    more = contents.purge(PURGE_STEP);
                }
            } catch (InterruptedException _) {
                return;
            } catch (IOException | RuntimeException failure) {
                suspicion.add("tidying", failure);
                settled = System.nanoTime();
                more = false;
            }
        }
    }

    /// Whether it has notes that are still needed, once the others are gone. On a drive thread, while no change is
    /// under way.
    public boolean needsNotes() throws IOException {
        if (serves()) {
            deleteOldNotes();
        }
        return marks.hasNotes();
    }

    private void deleteOldNotes() throws IOException {
        var old = new ArrayList<byte[]>();
        oldNotes.drainTo(old);
        marks.deleteNotes(old);
    }

    private void settleLast() {
        try {
            contents.settle();
        } catch (IOException failure) {
            suspicion.add("closing", failure); // the intents stay for the next start
        }
    }

    private void flushLast() {
        try {
            accessTimes.flush();
            agreements.flush();
            deleteOldNotes();
        } catch (IOException failure) {
            suspicion.add("closing", failure); // costs some order of eviction, looks at notes and at the cloud
        }
    }

    /// Ends everything in order; a start after it has nothing to repair, unless the drive failed.
    @Override
    public void close() {
        end(true);
    }

    /// Ends everything without another change: for a drive that failed. What is unsettled is for the next start.
    public void abandon() {
        end(false);
    }

    private void end(boolean inOrder) {
        closing = true;
        if (inOrder) { // what was written stays in the page cache, so the mark stays
            stopServing();
        } else {
            retire();
        }
        guests.writeLock().lock(); // for ever
        committer.close();
        threads.close();
        try (var last = new DriveThreads(id + "-close", 1, 1)) {
            toClose.add(() -> {}); // for the tidier to wake up
            Await.whole(last.startStep(() -> {
                tidier.join();
                closeFiles();
                if (inOrder && known && !frozen) {
                    settleLast();
                    flushLast();
                }
            }));
        } finally {
            ready = false; // a start may have ended meanwhile
            ended = true;
            if (!toClose.isEmpty()) {
                new DriveThread(this::closeFiles, id + "-late").start();
            }
            contents.close();
        }
    }
}
