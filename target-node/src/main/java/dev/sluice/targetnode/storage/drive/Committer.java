package dev.sluice.targetnode.storage.drive;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;

/// The one thread of a drive that commits: whatever has gathered while it was busy shares the next syncs.
public final class Committer {
    private static final int QUEUE = 4096;
    private static final int GROUP = 512;

    /// Work that must not run beside a commit.
    public interface Alone {
        void run() throws IOException;
    }

    private sealed interface Task {
        CompletableFuture<Void> done();
    }

    private record Commit(Prepared change, CompletableFuture<Void> done) implements Task {}

    private record Exclusive(Alone work, CompletableFuture<Void> done) implements Task {}

    private record Stop(CompletableFuture<Void> done) implements Task {}

    private final Contents contents;
    private final Suspicion suspicion;
    private final ArrayBlockingQueue<Task> waiting = new ArrayBlockingQueue<>(QUEUE);
    private volatile Optional<IOException> broken = Optional.empty();

    Committer(String drive, Contents contents, Suspicion suspicion) {
        this.contents = contents;
        this.suspicion = suspicion;
        new DriveThread(this::run, drive + "-commit").start();
    }

    /// Never blocks. Completes once the change is as durable as it is to be, and seen.
    CompletableFuture<Void> commit(Prepared change) {
        return add(new Commit(change, new CompletableFuture<>()));
    }

    CompletableFuture<Void> alone(Alone work) {
        return add(new Exclusive(work, new CompletableFuture<>()));
    }

    private CompletableFuture<Void> add(Task task) {
        if (!waiting.offer(task)) {
            task.done().completeExceptionally(new StoreException.Unavailable("too many writes wait for the drive"));
        }
        return task.done();
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
        var tasks = new ArrayList<Task>();
        while (true) {
            tasks.clear();
            try {
                tasks.add(waiting.take());
            } catch (InterruptedException _) {
                continue; // nobody has a reason to; the queue ends with Stop
            }
            waiting.drainTo(tasks, GROUP);
            var group = new ArrayList<Commit>();
            for (var task : tasks) {
                switch (task) {
                    case Commit commit -> group.add(commit);
                    case Exclusive exclusive -> {
                        commitAll(group);
                        runAlone(exclusive);
                    }
                    case Stop stop -> {
                        commitAll(group);
                        stop.done.complete(null);
                        return;
                    }
                }
            }
            commitAll(group);
        }
    }

    private void runAlone(Exclusive task) {
        try {
            task.work.run();
            task.done.complete(null);
        } catch (IOException | RuntimeException failure) {
            suspicion.add("commit", failure);
            task.done.completeExceptionally(failure);
        }
    }

    private void commitAll(List<Commit> group) {
        group.removeIf(this::isRefused);
        if (group.isEmpty()) {
            return;
        }
        try {
            var results = contents.commit(group.stream().map(Commit::change).toList());
            for (int i = 0; i < results.size(); i++) {
                var done = group.get(i).done;
                results.get(i).ifPresentOrElse(done::completeExceptionally, () -> done.complete(null));
            }
        } catch (IOException | RuntimeException failure) {
            suspicion.add("commit", failure);
            var known = known(failure);
            broken = Optional.of(known);
            group.forEach(each -> each.done.completeExceptionally(known));
        }
        group.clear();
    }

    /// A drive that is full is one thing; a change of which nobody knows whether it is decided is another.
    private static IOException known(Exception failure) {
        return switch (failure) {
            case DriveFullException full ->
                new IOException("it was full in the middle of a commit; restart the target when there is room", full);
            case IOException other -> other;
            default -> new IOException(failure);
        };
    }

    private boolean isRefused(Commit commit) {
        if (broken.isPresent()) {
            commit.done.completeExceptionally(broken.get());
            return true;
        }
        var bucket = commit.change.intent().map(Intent::bucket);
        if (bucket.isPresent() && contents.isDropped(bucket.get().id())) {
            commit.done.completeExceptionally(
                    new StoreException.NoSuchBucket(bucket.get().name()));
            return true;
        }
        return false;
    }
}
