package dev.sluice.targetnode.storage.index;

import java.util.List;
import org.rocksdb.Cache;
import org.rocksdb.Env;
import org.rocksdb.LRUCache;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/// The memory that all indexes of one JVM share, so that its size does not grow with the number of drives. The threads
/// that write their files are of the process, too; there are as many as indexes, so that a slow drive keeps only its
/// own.
public final class RocksMemory implements AutoCloseable {
    private final long limit;
    private final Cache cache;
    private final WriteBufferManager writeBuffers;
    private int indexes;

    /// @param blockBytes for blocks that were read
    /// @param writeBufferBytes for writes that are not in files yet; the cache has room for both
    public RocksMemory(long blockBytes, long writeBufferBytes) {
        RocksDB.loadLibrary();
        this.limit = blockBytes + writeBufferBytes;
        this.cache = new LRUCache(limit);
        this.writeBuffers = new WriteBufferManager(writeBufferBytes, cache);
    }

    public long limit() {
        return limit;
    }

    public long used() {
        return cache.getUsage();
    }

    Cache cache() {
        return cache;
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    /// An index is open. Each has one flush and one compaction under way at most.
    synchronized void opened() {
        indexes++;
        for (var kind : List.of(Priority.HIGH, Priority.LOW)) {
            Env.getDefault().incBackgroundThreadsIfNeeded(indexes, kind);
        }
    }

    synchronized void closed() {
        indexes--;
    }

    /// To be called after the last index is closed.
    @Override
    public void close() {
        writeBuffers.close();
        cache.close();
    }
}
