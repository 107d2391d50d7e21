package dev.sluice.targetnode.storage.index;

import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/// The memory that all indexes of one JVM share, so that its size does not grow with the number of drives.
public final class RocksMemory implements AutoCloseable {
    private final Cache cache;
    private final WriteBufferManager writeBuffers;

    public RocksMemory(long cacheBytes, long writeBufferBytes) {
        RocksDB.loadLibrary();
        this.cache = new LRUCache(cacheBytes);
        this.writeBuffers = new WriteBufferManager(writeBufferBytes, cache);
    }

    Cache cache() {
        return cache;
    }

    WriteBufferManager writeBuffers() {
        return writeBuffers;
    }

    /// To be called after the last index is closed.
    @Override
    public void close() {
        writeBuffers.close();
        cache.close();
    }
}
