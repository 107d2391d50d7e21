package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.files.GuardedFiles;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two threads of a drive that commit. They take turns: while one fulfils what is durable, the other makes the
/// next group's intents durable. Whatever has gathered meanwhile is that group and shares its syncs. Groups are
/// fulfilled in the order in which they were decided, for who decides gives the word to the other only when it is its
/// turn to fulfil.
public final class Committer {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

    private static final int QUEUE = 4096;
    private static final int GROUP = 512;
    private static final int GROUP_BYTES = 8 << 20;

    /// Work that must not run beside a commit.
    public interface Alone {
        void run() throws IOException;
    }

    private sealed interface Task {
        CompletableFuture<Void> done();
    }

    private record Commit(DriveWrite write, CompletableFuture<Void> done) implements Task {}

    private record Exclusive(Alone work, CompletableFuture<Void> done) implements Task {}

    private record Stop(CompletableFuture<Void> done) implements Task {}

    private final Contents contents;
    private final Suspicion suspicion;
    private final ArrayBlockingQueue<Task> waiting = new ArrayBlockingQueue<>(QUEUE + OpenIntents.MOST);
    private final GuardedFiles files;
    private final ReentrantLock deciding = new ReentrantLock();
    private final ReentrantLock fulfilling = new ReentrantLock();
    private volatile Optional<CommitFailedException> broken = Optional.empty();
    private volatile boolean ended;
    private Set<ObjectKey> previous = Set.of(); // the keys of the latest group, of whoever is deciding

    Committer(String drive, Contents contents, GuardedFiles files, Suspicion suspicion) {
        this.contents = contents;
        this.files = files;
        this.suspicion = suspicion;
        new DriveThread(this::run, drive + "-commit-1").start();
        new DriveThread(this::run, drive + "-commit-2").start();
    }

    /// Never blocks. Completes once the write is as durable as it is to be, and seen if it is to be. Writes of one key
    /// are done in the order in which they were added.
    CompletableFuture<Void> add(DriveWrite write) {
        return add(new Commit(write, new CompletableFuture<>()));
    }

    CompletableFuture<Void> alone(Alone work) {
        return add(new Exclusive(work, new CompletableFuture<>()));
    }

    private CompletableFuture<Void> add(Task task) {
        if ((waiting.size() >= QUEUE && !endsOpenIntent(task)) || !waiting.offer(task)) {
            task.done().completeExceptionally(new StoreException.Unavailable("too many writes wait for the drive"));
        } else if (ended) {
            refuseWaiting();
        }
        return task.done();
    }

    /// What makes room for others is not refused for them.
    private static boolean endsOpenIntent(Task task) {
        return task instanceof Commit commit && commit.write.prepared().isEmpty();
    }

    private void refuseWaiting() {
        for (var task = waiting.poll(); task != null; task = waiting.poll()) {
            refuse(task);
        }
    }

    private static void refuse(Task task) {
        task.done().completeExceptionally(new StoreException.Unavailable("the drive is closed"));
    }

    void close() {
        var stop = new Stop(new CompletableFuture<>());
        try {
            waiting.put(stop);
            stop.done.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        boolean more;
        do {
            deciding.lock();
            try {
                more = !ended && takeTurn();
            } finally {
                if (deciding.isHeldByCurrentThread()) {
                    deciding.unlock();
                }
            }
        } while (more);
        refuseWaiting();
    }

    /// Takes what waits, up to the first task that must be alone; gives the word to the other thread as soon as it can.
    private boolean takeTurn() {
        var task = take();
        switch (task) {
            case Commit first -> commitAll(groupFrom(first));
            case Exclusive exclusive -> inTurn(() -> runAlone(exclusive));
            case Stop stop ->
                inTurn(() -> {
                    ended = true;
                    stop.done.complete(null);
                });
        }
        return !(task instanceof Stop);
    }

    private Task take() {
        while (true) {
            try {
                return waiting.take();
            } catch (InterruptedException _) {
                // nobody has a reason to; the queue ends with Stop
            }
        }
    }

    private List<Commit> groupFrom(Commit first) {
        var group = new ArrayList<Commit>();
        var keys = new HashSet<ObjectKey>();
        group.add(first);
        first.write.key().ifPresent(keys::add);
        long bytes = bytes(first);
        while (group.size() < GROUP
                && bytes < GROUP_BYTES
                && waiting.peek() instanceof Commit next
                && next.write.key().map(keys::add).orElse(true)) {
            waiting.remove();
            group.add(next);
            bytes += bytes(next);
        }
        if (!Collections.disjoint(keys, previous)) {
            inTurn(() -> {}); // the group before this one is fulfilled
        }
        previous = keys;
        return group;
    }

    private static int bytes(Commit commit) {
        return commit.write.prepared().map(Prepared::bytes).orElse(0);
    }

    /// After what was decided before is fulfilled.
    private void inTurn(Runnable step) {
        fulfilling.lock();
        try {
            step.run();
        } finally {
            fulfilling.unlock();
        }
    }

    private void runAlone(Exclusive task) {
        try {
            task.work.run();
            task.done.complete(null);
        } catch (IOException | RuntimeException failure) {
            suspicion.addUnknownOutcome("a change of the whole drive", failure);
            task.done.completeExceptionally(new CommitFailedException(failure));
        }
    }

    private void commitAll(List<Commit> group) {
        var admission = contents.admission();
        group.removeIf(each -> isRefused(each) || !isAdmitted(each, admission));
        if (group.isEmpty()) {
            awaitBefore();
            return;
        }
        var writes = group.stream().map(Commit::write).toList();
        try {
            files.requireThere();
            if (!files.isWritable()) { // where nothing is begun, nothing is unknown
                var refused = new IOException("Read-only file system");
                group.forEach(each -> each.done.completeExceptionally(refused));
                awaitBefore();
                return;
            }
            contents.decide(writes);
            inTurn(() -> {
                deciding.unlock();
                fulfil(group, writes);
            });
        } catch (IOException | RuntimeException failure) {
            fail(group, failure);
        }
    }

    /// Of a group that is not decided: the next one looks at this one's keys only, so the one before must be fulfilled.
    private void awaitBefore() {
        inTurn(() -> {});
    }

    private void fulfil(List<Commit> group, List<DriveWrite> writes) {
        if (group.removeIf(this::isRefused)) {
            return; // all of it: the group before this one failed
        }
        try {
            files.requireThere(); // the syncs took a while, and from here on it goes by paths
            var results = contents.fulfil(writes);
            for (int i = 0; i < results.size(); i++) {
                var done = group.get(i).done;
                results.get(i).ifPresentOrElse(done::completeExceptionally, () -> done.complete(null));
            }
        } catch (IOException | RuntimeException failure) {
            fail(group, failure);
        }
    }

    private void fail(List<Commit> group, Exception failure) {
        suspicion.addUnknownOutcome("commit", failure);
        var unknown = new CommitFailedException(failure);
        broken = Optional.of(unknown);
        group.forEach(each -> each.done.completeExceptionally(unknown));
    }

    private boolean isRefused(Commit commit) {
        if (broken.isPresent()) {
            commit.done.completeExceptionally(broken.get());
            return true;
        }
        var bucket = commit.write.prepared().flatMap(Prepared::intent).map(Intent::bucket);
        if (bucket.isPresent() && contents.isDropped(bucket.get().id())) {
            commit.done.completeExceptionally(
                    new StoreException.NoSuchBucket(bucket.get().name()));
            return true;
        }
        return false;
    }

    private boolean isAdmitted(Commit commit, OpenIntents.Admission admission) {
        try {
            boolean admitted = admission.admits(commit.write);
            if (!admitted) {
                reportLost(commit.write);
                commit.done.complete(null);
            }
            return admitted;
        } catch (IllegalStateException | StoreException refused) {
            commit.done.completeExceptionally(refused);
            return false;
        }
    }

    /// A write may be committed twice. But when neither it nor a newer one is there, the drive never took it, which is
    /// right of a full learner and of a deletion only.
    private void reportLost(DriveWrite write) {
        if (write instanceof DriveWrite.Committing(var name, var version)) {
            Optional<ObjectVersion> row;
            try {
                row = contents.row(name.bucketId(), name.key());
            } catch (IOException failure) {
                LOG.warn("the row of {} cannot be read", name, failure);
                return;
            }
            if (row.isEmpty() || row.get().compareTo(version) < 0) {
                LOG.warn(
                        "version {} of {} was to be committed, but was not prepared here; row: {}", version, name, row);
            }
        }
    }
}
