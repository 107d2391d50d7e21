package dev.sluice.targetnode.storage.index;

import java.util.ArrayList;
import java.util.List;
import org.rocksdb.Cache;
import org.rocksdb.Env;
import org.rocksdb.LRUCache;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/// The memory of all indexes of one JVM: a cache of blocks for each, so that reading through one drive does not empty
/// the caches of the others, and write buffers that all share. The threads that write their files are of the process,
/// too; there are as many as indexes, so that a slow drive keeps only its own.
public final class RocksMemory implements AutoCloseable {
    /// Each has room for the filter of a file of 64 MiB.
    private static final int SHARD_BITS = 2;

    private final long blockBytes;
    private final long writeBufferBytes;
    private final Cache unwritten;
    private final WriteBufferManager writeBuffers;
    private final List<Cache> blocks = new ArrayList<>();

    /// @param blockBytes of each index, for blocks that were read
    /// @param writeBufferBytes of all, for writes that are not in files yet
    public RocksMemory(long blockBytes, long writeBufferBytes) {
        RocksDB.loadLibrary();
        this.blockBytes = blockBytes;
        this.writeBufferBytes = writeBufferBytes;
        this.unwritten = new LRUCache(writeBufferBytes);
        this.writeBuffers = new WriteBufferManager(writeBufferBytes, unwritten);
    }

    public synchronized long limit() {
        return writeBufferBytes + blockBytes * blocks.size();
    }

    public synchronized long used() {
        return unwritten.getUsage() + blocks.stream().mapToLong(Cache::getUsage).sum();
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    /// For an index that is being opened, and that gives it back after it is closed. Each has one flush and one
    /// compaction under way at most.
    synchronized Cache take() {
        var cache = new LRUCache(blockBytes, SHARD_BITS);
        blocks.add(cache);
        for (var kind : List.of(Priority.HIGH, Priority.LOW)) {
            Env.getDefault().incBackgroundThreadsIfNeeded(blocks.size(), kind);
        }
        return cache;
    }

    synchronized void giveBack(Cache cache) {
        blocks.remove(cache);
        cache.close();
    }

    /// To be called after the last index is closed.
    @Override
    public void close() {
        writeBuffers.close();
        unwritten.close();
    }
}
