package dev.sluice.targetnode.storage.index;

import dev.sluice.targetnode.storage.files.DriveFullException;
import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The index in RocksDB, a column family for each table. Writes go to its log at once; those that must last are
/// synced there, one sync for all that wait.
public final class RocksIndex implements DriveIndex {
    private static final Logger LOG = LoggerFactory.getLogger(RocksIndex.class);

    /// A sync of a file that does not grow costs no commit of the file system's journal. As many as there can be at
    /// once: when the oldest table is flushed, all of them become free.
    private static final int RECYCLED_LOGS = 4;

    /// What a table takes when its first few entries come. With RocksDB's 1 MiB, a dozen tables of each of ten drives
    /// would fill the write buffers, and each write would cause a file.
    private static final int ARENA = 64 << 10;

    private final RocksDB database;
    private final SyncedMark mark;
    private final Map<Table, ColumnFamilyHandle> tables = new EnumMap<>(Table.class);
    private final List<AutoCloseable> owned;
    private final ReadWriteLock open = new ReentrantReadWriteLock();
    private boolean closed;
    private final WriteOptions logged = new WriteOptions().setSync(false);

    private RocksIndex(RocksDB database, SyncedMark mark, List<ColumnFamilyHandle> handles, List<AutoCloseable> owned) {
        this.database = database;
        this.mark = mark;
        this.owned = owned;
        int next = 1; // the first is the one every database has
        for (var table : Table.values()) {
            tables.put(table, handles.get(next++));
        }
    }

    /// Opens the index, or makes an empty one.
    ///
    /// @throws DamagedIndexException when something is there that cannot be read, or has lost what was synced
    /// @throws DriveFullException when there is no room to open it
    /// @throws IOException also when a newer Sluice made it
    public static RocksIndex open(Path folder, RocksMemory memory) throws IOException {
        DriveThread.assertMayBlock();
        var mark = mark(folder);
        var bloom = new BloomFilter(10, false);
        var blocks = memory.take();
        var family = new ColumnFamilyOptions()
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(blocks)
                        .setCacheIndexAndFilterBlocks(true)
                        .setFilterPolicy(bloom)
                        .setBlockSize(16 << 10))
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize(16 << 20)
                .setArenaBlockSize(ARENA);
        var options = new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setWriteBufferManager(memory.writeBuffers())
                .setMaxTotalWalSize(64 << 20)
                .setRecycleLogFileNum(RECYCLED_LOGS)
                .setMaxBackgroundJobs(2) // one flush, one compaction
                .setMaxOpenFiles(512)
                .setKeepLogFileNum(2)
                .setParanoidChecks(true);
        var descriptors = new ArrayList<ColumnFamilyDescriptor>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
        for (var table : Table.values()) {
            descriptors.add(new ColumnFamilyDescriptor(table.name().getBytes(StandardCharsets.UTF_8), family));
        }
        var handles = new ArrayList<ColumnFamilyHandle>();
        List<AutoCloseable> owned = List.of(options, family, bloom, mark, () -> memory.giveBack(blocks));
        try {
            var database = RocksDB.open(options, folder.toString(), descriptors, handles);
            return trusted(new RocksIndex(database, mark, handles, owned), folder);
        } catch (RocksDBException failure) {
            owned.forEach(RocksIndex::closeQuietly);
            var what = "the index in " + folder + ": " + failure.getMessage();
            if (isNewer(failure)) {
                throw new IOException(what + ": a newer Sluice made it, start that", failure);
            }
            throw isFull(failure) ? new DriveFullException(what, failure) : new DamagedIndexException(what, failure);
        }
    }

    /// A drive that failed to read is no reason to give its index up; a missing file of the index is.
    private static IOException failed(String during, RocksDBException failure) {
        var message = during + ": " + failure.getMessage();
        boolean isDrive = failure.getStatus() != null
                && failure.getStatus().getCode() == Status.Code.IOError
                && !message.contains("No such file");
        return isDrive ? new IOException(message, failure) : new DamagedIndexException(message, failure);
    }

    private static SyncedMark mark(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectory(folder);
        }
        try {
            return SyncedMark.open(folder);
        } catch (IOException failure) {
            throw SyncedMark.isIn(folder)
                    ? new DamagedIndexException("the index in " + folder + ": " + failure, failure)
                    : failure;
        }
    }

    private static RocksIndex trusted(RocksIndex index, Path folder) throws DamagedIndexException {
        var lost = index.mark.against(index.database.getLatestSequenceNumber());
        if (lost.isEmpty()) {
            lost = missing(index, folder);
        }
        if (!lost.isEmpty()) {
            index.close();
            throw new DamagedIndexException("the index in " + folder + " " + lost, new IOException(lost));
        }
        return index;
    }

    /// RocksDB opens a file of the index when it needs it, which may be long after the start. What a compaction takes
    /// away meanwhile is not needed any more: it is asked for once more.
    private static String missing(RocksIndex index, Path folder) {
        var gone = index.neededFiles();
        gone.removeIf(name -> Files.exists(folder.resolve(name)));
        if (!gone.isEmpty()) {
            gone.retainAll(index.neededFiles());
        }
        return gone.isEmpty() ? "" : "lacks its file " + gone.getFirst();
    }

    private List<String> neededFiles() {
        var names = new ArrayList<String>();
        database.getLiveFilesMetaData()
                .forEach(file -> names.add(file.fileName().replace("/", "")));
        return names;
    }

    /// Whether it has tables that this Sluice does not know.
    private static boolean isNewer(RocksDBException failure) {
        return String.valueOf(failure.getMessage()).contains("Column families not opened");
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

    /// A call into a closed database would end the process, so a close waits for those that run and stops later ones.
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
            database.write(logged, writes);
            if (sync) {
                long written = database.getLatestSequenceNumber();
                database.syncWal(); // others can write meanwhile
                mark.reached(written);
            }
        } catch (RocksDBException failure) {
            remember(failure);
            var said = "writing the index: " + failure.getMessage();
            throw isFull(failure) ? new DriveFullException(said, failure) : new IOException(said, failure);
        } finally {
            open.readLock().unlock();
        }
    }

    /// So that a start does not trust again what was found damaged, and fail at it again.
    private void remember(RocksDBException failure) {
        if (failure.getStatus() != null && failure.getStatus().getCode() == Status.Code.Corruption) {
            try {
                mark.damaged();
            } catch (IOException alsoFailed) {
                LOG.error("cannot note that the index is damaged", alsoFailed);
            }
        }
    }

    @Override
    public Optional<byte[]> get(Table table, byte[] key) throws IOException {
        use();
        try {
            return Optional.ofNullable(database.get(handle(table), key));
        } catch (RocksDBException failure) {
            remember(failure);
            throw failed("reading the index", failure);
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
            remember(failure);
            throw failed("scanning the index", failure);
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
            logged.close();
        }
    }
}
