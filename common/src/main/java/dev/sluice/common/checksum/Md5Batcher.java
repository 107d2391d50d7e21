package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Brings pieces of different streams together, so that [Md5Lanes] computes them at once: eight cost little more than
/// one, so it pays to wait a moment for company. A worker takes what waits once three of four streams that move have
/// brought a piece, or the first has waited for [#GATHERING_NANOS]; between runs it takes whatever waits into lanes
/// that are free. A second worker starts only when twice as many wait as it has lanes: two half full ones cost twice
/// as much. When the queue is full, those who bring pieces wait.
final class Md5Batcher {
    static final int QUEUE_LIMIT = 1024;
    private static final long GATHERING_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private final OpenStreams streams;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition taken = lock.newCondition();
    private final ArrayDeque<Job> waiting = new ArrayDeque<>();
    private int atWork;

    /// Whole blocks of one stream, and the state they change.
    private static final class Job {
        final int[] state;
        final ByteBuffer blocks;
        final long since = System.nanoTime();
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Job(int[] state, ByteBuffer blocks) {
            this.state = state;
            this.blocks = blocks;
        }

        int left() {
            return blocks.remaining() / Md5Block.BYTES;
        }
    }

    /// @param streams whose pieces may be waited for
    Md5Batcher(OpenStreams streams) {
        this.streams = streams;
    }

    /// Its threads end with the process.
    void start(int workers) {
        lock.lock();
        try {
            atWork += workers; // each says itself that it is not
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < workers; i++) {
            Thread.ofPlatform().daemon().name("md5-" + i).start(() -> new Worker().work());
        }
    }

    /// @param blocks whole ones; neither they nor the state may be touched until it completes
    CompletableFuture<Void> compress(int[] state, ByteBuffer blocks) {
        var job = new Job(state, blocks);
        lock.lock();
        try {
            while (waiting.size() >= QUEUE_LIMIT) {
                taken.awaitUninterruptibly();
            }
            waiting.add(job);
            boolean needed = atWork == 0 ? waiting.size() == 1 || enough() : waiting.size() >= crowd();
            if (needed) {
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        return job.done;
    }

    /// Not a constant: this class is loaded also where the vector module, and so [Md5Lanes], is missing.
    private static int crowd() {
        return 2 * Md5Lanes.LANES;
    }

    private boolean enough() {
        return waiting.size() >= Math.clamp(streams.moving() * 3 / 4, 1, Md5Lanes.LANES);
    }

    /// How long those who wait should still do so; 0 when they should be taken now.
    private long gathering() {
        return enough() ? 0 : Math.max(0, waiting.getFirst().since + GATHERING_NANOS - System.nanoTime());
    }

    /// Its jobs are in the first lanes.
    private final class Worker {
        private final Md5Lanes lanes = new Md5Lanes();
        private final Job[] jobs = new Job[Md5Lanes.LANES];
        private int count;

        void work() {
            while (true) {
                take();
                int blocks = stage();
                lanes.run(count, blocks);
                for (int lane = count - 1; lane >= 0; lane--) {
                    var job = jobs[lane];
                    if (job.left() == 0) {
                        lanes.save(lane, job.state);
                        leave(lane);
                        job.done.complete(null);
                    }
                }
            }
        }

        /// Waits for jobs unless there are some in the lanes, which others join at no cost.
        private void take() {
            lock.lock();
            try {
                if (count == 0) {
                    atWork--;
                    awaitJobs();
                    atWork++;
                }
                while (count < jobs.length && !waiting.isEmpty()) {
                    jobs[count] = waiting.remove();
                    lanes.load(count, jobs[count].state);
                    count++;
                }
                taken.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /// Brings as many blocks of each job into its lane as the shortest has; a job whose bytes are gone fails alone.
        private int stage() {
            int blocks = Md5Lanes.STAGED_BLOCKS;
            for (int lane = 0; lane < count; lane++) {
                blocks = Math.min(blocks, jobs[lane].left());
            }
            for (int lane = count - 1; lane >= 0; lane--) {
                var job = jobs[lane];
                try {
                    lanes.stage(lane, job.blocks, blocks);
                } catch (RuntimeException failure) {
                    leave(lane);
                    job.done.completeExceptionally(failure);
                }
            }
            return blocks;
        }

        private void leave(int lane) {
            count--;
            jobs[lane] = jobs[count];
            lanes.move(count, lane);
        }

        private void awaitJobs() {
            try {
                while (true) {
                    boolean othersWill = atWork > 0 && waiting.size() < crowd();
                    if (waiting.isEmpty() || othersWill) {
                        arrived.await();
                    } else if (gathering() > 0) {
                        var _ = arrived.awaitNanos(gathering());
                    } else {
                        return;
                    }
                }
            } catch (InterruptedException nobodyDoesThat) {
                throw new IllegalStateException("a batching thread was interrupted", nobodyDoesThat);
            }
        }
    }
}
