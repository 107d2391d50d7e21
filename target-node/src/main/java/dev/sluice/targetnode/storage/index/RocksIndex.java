package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// The index in RocksDB, a column family for each table. Writes go to its log at once; those that must last are
/// synced there, one sync for all that wait.
public final class RocksIndex implements DriveIndex {
    private final RocksDB database;
    private final Map<Table, ColumnFamilyHandle> tables = new EnumMap<>(Table.class);
    private final List<AutoCloseable> owned;
    private final ReadWriteLock open = new ReentrantReadWriteLock();
    private boolean closed;
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteOptions logged = new WriteOptions().setSync(false);

    private RocksIndex(RocksDB database, List<ColumnFamilyHandle> handles, List<AutoCloseable> owned) {
        this.database = database;
        this.owned = owned;
        int next = 1; // the first is the one every database has
        for (var table : Table.values()) {
            tables.put(table, handles.get(next++));
        }
    }

    /// Opens the index, or makes an empty one.
    ///
    /// @throws DamagedIndexException when something is there that cannot be read
    public static RocksIndex open(Path folder, RocksMemory memory) throws IOException {
        DriveThread.assertMayBlock();
        var bloom = new BloomFilter(10, false);
        var family = new ColumnFamilyOptions()
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(memory.cache())
                        .setCacheIndexAndFilterBlocks(true)
                        .setFilterPolicy(bloom)
                        .setBlockSize(16 << 10))
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(16 << 20);
        var options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setWriteBufferManager(memory.writeBuffers())
                .setMaxTotalWalSize(64 << 20)
                .setMaxBackgroundJobs(2)
                .setMaxOpenFiles(512)
                .setKeepLogFileNum(2)
                .setParanoidChecks(true);
        var descriptors = new ArrayList<ColumnFamilyDescriptor>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
        for (var table : Table.values()) {
            descriptors.add(new ColumnFamilyDescriptor(table.name().getBytes(StandardCharsets.UTF_8), family));
        }
        var handles = new ArrayList<ColumnFamilyHandle>();
        List<AutoCloseable> owned = List.of(options, family, bloom);
        try {
            return new RocksIndex(RocksDB.open(options, folder.toString(), descriptors, handles), handles, owned);
        } catch (RocksDBException failure) {
            owned.forEach(RocksIndex::closeQuietly);
            if (isFull(failure)) {
                throw new DriveFullException("no room to open the index in " + folder, failure);
            }
            throw new DamagedIndexException("the index in " + folder + ": " + failure.getMessage(), failure);
        }
    }

    private static boolean isFull(RocksDBException failure) {
        var status = failure.getStatus();
        return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || String.valueOf(failure.getMessage()).contains("No space left on device");
    }

    private static void closeQuietly(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    /// A call into a closed database would end the process, so a close waits for those that run and stops later
    /// ones.
    private void use() throws IOException {
        DriveThread.assertMayBlock();
        open.readLock().lock();
        if (closed) {
            open.readLock().unlock();
            throw new IOException("the index is closed");
        }
    }

    private ColumnFamilyHandle handle(Table table) {
        return Objects.requireNonNull(tables.get(table));
    }

    @Override
    public void write(IndexBatch batch, boolean sync) throws IOException {
        use();
        try (var writes = new WriteBatch()) {
            for (var change : batch.changes()) {
                var table = handle(change.table());
                switch (change.kind()) {
                    case PUT -> writes.put(table, change.key(), change.operand());
                    case DELETE -> writes.delete(table, change.key());
                    case DELETE_RANGE -> writes.deleteRange(table, change.key(), change.operand());
                }
            }
            database.write(sync ? synced : logged, writes);
        } catch (RocksDBException failure) {
            var said = "writing the index: " + failure.getMessage();
            throw isFull(failure) ? new DriveFullException(said, failure) : new IOException(said, failure);
        } finally {
            open.readLock().unlock();
        }
    }

    @Override
    public Optional<byte[]> get(Table table, byte[] key) throws IOException {
        use();
        try {
            return Optional.ofNullable(database.get(handle(table), key));
        } catch (RocksDBException failure) {
            throw new DamagedIndexException("reading the index: " + failure.getMessage(), failure);
        } finally {
            open.readLock().unlock();
        }
    }

    @Override
    public void scan(Table table, byte[] from, Visitor visitor) throws IOException {
        use();
        try (var options = new ReadOptions().setReadaheadSize(0);
                var cursor = database.newIterator(handle(table), options)) {
            for (cursor.seek(from); cursor.isValid(); cursor.next()) {
                if (!visitor.visit(cursor.key(), cursor.value())) {
                    return;
                }
            }
            cursor.status();
        } catch (RocksDBException failure) {
            throw new DamagedIndexException("scanning the index: " + failure.getMessage(), failure);
        } finally {
            open.readLock().unlock();
        }
    }

    @Override
    public void close() {
        open.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                release();
            }
        } finally {
            open.writeLock().unlock();
        }
    }

    private void release() {
        tables.values().forEach(ColumnFamilyHandle::close);
        try {
            database.closeE();
        } catch (RocksDBException failure) {
            throw new IllegalStateException("closing the index", failure);
        } finally {
            owned.forEach(RocksIndex::closeQuietly);
            synced.close();
            logged.close();
        }
    }
}
