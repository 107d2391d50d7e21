package dev.sluice.targetnode.shard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.shards.ShardSamples;
import dev.sluice.targetnode.storage.shards.TarScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the samples of a shard are: known in memory, read from the index on the shard's drive, or found by reading the
/// shard once, for all who ask. Only bytes that were compared with the shard's block sums make an index.
public final class ShardIndexes {
    private static final Logger LOG = LoggerFactory.getLogger(ShardIndexes.class);

    /// Bytes of all that is known in memory.
    private static final long MEMORY = Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);
    /// So many shards of a drive are read at once.
    private static final int AT_ONCE = 2;
    /// After so many bytes a reader gives its turn to who waits.
    private static final long AT_A_TIME = 64 << 20;

    private static final long SMALL = 256 << 10;
    private static final int ATTEMPTS = 20;
    private static final long PAUSE_MILLIS = 20;

    private record Shard(ObjectKey key, ObjectVersion version) {
        static Shard of(StoredObject object) {
            return new Shard(object.key(), object.record().version());
        }
    }

    /// A copy of a shard that is being read; what goes wrong there says nothing of the other copies.
    private record Reading(Shard shard, String drive) {}

    private sealed interface Known {
        int bytes();
    }

    private record Indexed(ShardSamples samples) implements Known {
        @Override
        public int bytes() {
            return samples.bytes();
        }
    }

    /// It will be the same each time.
    private record Refused(StoreException why) implements Known {
        @Override
        public int bytes() {
            return 1024;
        }
    }

    private final Cache<Shard, Known> memory = Caffeine.newBuilder()
            .maximumWeight(MEMORY)
            .weigher((Shard shard, Known known) -> 2 * shard.key.key().length() + known.bytes())
            .executor(Runnable::run)
            .build();
    private final Map<Reading, CompletableFuture<Known>> making = new ConcurrentHashMap<>();
    private final Map<String, Semaphore> turns = new ConcurrentHashMap<>();

    /// What is known at once. Never blocks.
    public Optional<ShardSamples> inMemory(StoredObject shard) {
        return memory.getIfPresent(Shard.of(shard)) instanceof Indexed(var samples)
                ? Optional.of(samples)
                : Optional.empty();
    }

    /// What is found out when it is not known. Blocks.
    ///
    /// @throws StoreException NoWholeTar, SampleTooLarge; Damaged when the copy's bytes are not what was written
    public ShardSamples of(StoredObject shard) {
        var known = memory.getIfPresent(Shard.of(shard));
        return switch (known == null ? find(shard) : known) {
            case Indexed(var samples) -> samples;
            case Refused(var why) -> throw why;
        };
    }

    private Known find(StoredObject object) {
        var reading = new Reading(Shard.of(object), object.drive());
        var mine = new CompletableFuture<Known>();
        var others = making.putIfAbsent(reading, mine);
        if (others != null) {
            return Await.whole(others);
        }
        try {
            var before = Optional.ofNullable(memory.getIfPresent(reading.shard)); // who had the turn before this one
            var found = before.or(() -> read(object)).orElseGet(() -> make(object));
            memory.put(reading.shard, found);
            mine.complete(found);
            return found;
        } catch (RuntimeException | Error failure) {
            mine.completeExceptionally(failure);
            throw failure;
        } finally {
            making.remove(reading);
        }
    }

    private static Optional<Known> read(StoredObject object) {
        var record = object.record();
        var drive = object.readFrom();
        return drive.call(() -> drive.store().shards().find(record.version(), object.key(), record.size()))
                .map(Indexed::new);
    }

    private Known make(StoredObject object) {
        var turn = turns.computeIfAbsent(object.drive(), _ -> new Semaphore(AT_ONCE, true));
        turn.acquireUninterruptibly();
        try {
            var made = scan(object, turn);
            memory.put(Shard.of(object), new Indexed(made.samples()));
            keep(object, made.file());
            return new Indexed(made.samples());
        } catch (StoreException.NoWholeTar | StoreException.SampleTooLarge refused) {
            return new Refused(refused);
        } finally {
            turn.release();
        }
    }

    /// While one block is looked at, the next one is read.
    private static TarScan.Result scan(StoredObject object, Semaphore turn) {
        long size = object.record().size();
        var scan = new TarScan(object.key(), size);
        var now = ByteBuffer.allocate(BlockSums.BLOCK);
        var next = ByteBuffer.allocate(BlockSums.BLOCK);
        var reading = fetch(object, 0, next);
        try {
            for (long at = 0; at < size && !scan.isDone(); at += BlockSums.BLOCK) {
                if (at % AT_A_TIME == 0 && at > 0) { // a short shard does not wait for the end of a long one
                    turn.release();
                    turn.acquireUninterruptibly();
                }
                awaitBlock(reading, object, at, next);
                var read = next;
                next = now;
                now = read;
                reading = fetch(object, at + BlockSums.BLOCK, next);
                scan.take(now.flip());
            }
            return scan.end();
        } finally {
            var _ = Await.whole(
                    reading.handle((_, failure) -> Optional.ofNullable(failure))); // else the file is closed too early
        }
    }

    /// A busy drive refuses a block now and then: it is asked for again.
    private static void awaitBlock(CompletableFuture<?> reading, StoredObject object, long offset, ByteBuffer into) {
        var now = reading;
        for (int attempt = 1; ; attempt++) {
            try {
                Await.whole(now);
                return;
            } catch (StoreException.Unavailable busy) {
                if (attempt == ATTEMPTS || !object.readFrom().serves()) {
                    throw busy;
                }
                Await.pause(Duration.ofMillis(PAUSE_MILLIS * attempt));
                now = fetch(object, offset, into);
            }
        }
    }

    private static CompletableFuture<?> fetch(StoredObject object, long offset, ByteBuffer into) {
        long left = object.record().size() - offset;
        into.clear().limit(Math.clamp(left, 0, BlockSums.BLOCK));
        return into.hasRemaining()
                ? object.fetch(offset, into).toCompletableFuture()
                : CompletableFuture.completedFuture(null);
    }

    /// Without it, the shard is read again when its samples have left the memory.
    private static void keep(StoredObject object, List<ByteBuffer> index) {
        var drive = object.readFrom();
        if (!drive.serves()) {
            return;
        }
        try {
            long bytes = index.stream().mapToLong(ByteBuffer::remaining).sum();
            if (bytes > SMALL) { // which may take some of the reserve
                drive.space().requireFits(bytes);
            }
            Await.whole(drive.startStep(() -> {
                var version = object.record().version();
                var shards = drive.store().shards();
                shards.keep(version, index);
                if (!isThere(drive, object)) {
                    shards.ended(version);
                }
            }));
        } catch (RuntimeException failure) {
            LOG.warn("the index of '{}' is not kept on its drive", object.key().key(), failure);
        }
    }

    private static boolean isThere(Drive drive, StoredObject object) throws IOException {
        return drive.store()
                .row(object.key().bucketId(), object.key().key())
                .equals(Optional.of(object.record().version()));
    }
}
