package dev.sluice.cli.demo.reading;

import dev.sluice.cli.demo.dataset.Manifest;
import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Reads a data set the way training does: in each epoch all shards once, in an order the seed decides, by several
/// workers which each take the next free shard, stream it and check every record. Workers are platform threads, so that
/// their hashing takes no carrier from a cluster in the same JVM.
public final class EpochReader {
    private static final int BUFFER = 256 << 10;

    private final ShardStore store;
    private final Manifest manifest;
    private final int workers;

    public EpochReader(ShardStore store, Manifest manifest, int workers) {
        this.store = store;
        this.manifest = manifest;
        this.workers = workers;
    }

    /// One epoch. A shard that cannot be read is part of the outcome, not an exception.
    public EpochOutcome read(long seed) throws InterruptedException {
        var order = new ArrayList<>(manifest.keys());
        Collections.shuffle(order, new Random(seed));
        var queue = new ConcurrentLinkedQueue<>(order);
        long start = System.nanoTime();
        var reads = new ArrayList<ShardRead>(order.size());
        try (var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("demo-worker-", 0).factory())) {
            var running = new ArrayList<Future<List<ShardRead>>>(workers);
            for (int i = 0; i < workers; i++) {
                int worker = i;
                running.add(threads.submit(() -> work(worker, queue, start)));
            }
            for (var each : running) {
                reads.addAll(each.get());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a worker of the demo failed", e.getCause());
        }
        return new EpochOutcome(reads, Duration.ofNanos(System.nanoTime() - start));
    }

    private List<ShardRead> work(int worker, Queue<String> queue, long start) {
        var reads = new ArrayList<ShardRead>();
        for (String key = queue.poll(); key != null; key = queue.poll()) {
            reads.add(readShard(key, worker, start));
        }
        return reads;
    }

    private ShardRead readShard(String key, int worker, long start) {
        long began = System.nanoTime();
        var check = new ShardCheck(manifest.shard(key));
        Optional<String> failure = Optional.empty();
        long bytes = 0;
        long firstByte = began;
        try (var stream = new MeasuredStream(store.open(key))) {
            try {
                check.read(new BufferedInputStream(stream, BUFFER));
            } finally {
                bytes = stream.bytes();
                firstByte = bytes == 0 ? System.nanoTime() : stream.firstByteNanos();
            }
        } catch (IOException e) {
            failure = Optional.of(key + ": " + e);
        }
        return new ShardRead(
                key,
                worker,
                Duration.ofNanos(began - start),
                Duration.ofNanos(firstByte - start),
                Duration.ofNanos(System.nanoTime() - start),
                bytes,
                check.counts(),
                failure);
    }
}
