package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// An index with a log: a crash takes the end of what was not synced.
public final class MemoryIndex implements DriveIndex {
    private final Faults faults;
    private final Map<Table, NavigableMap<byte[], byte[]>> tables = new EnumMap<>(Table.class);
    private final List<IndexBatch> log = new ArrayList<>();
    private int synced;

    public MemoryIndex(Faults faults) {
        this.faults = faults;
        reset();
    }

    private void reset() {
        for (var table : Table.values()) {
            tables.put(table, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    private NavigableMap<byte[], byte[]> table(Table table) {
        return Objects.requireNonNull(tables.get(table));
    }

    /// How many batches were written.
    int written() {
        return log.size();
    }

    /// How many of them a loss of power leaves for sure.
    int synced() {
        return synced;
    }

    public void crash(Random random) {
        int kept = synced + random.nextInt(log.size() - synced + 1);
        log.subList(kept, log.size()).clear();
        synced = kept;
        reset();
        log.forEach(this::apply);
    }

    private void apply(IndexBatch batch) {
        for (var change : batch.changes()) {
            var table = table(change.table());
            switch (change.kind()) {
                case PUT -> table.put(change.key(), change.operand());
                case DELETE -> table.remove(change.key());
                case DELETE_RANGE ->
                    table.subMap(change.key(), change.operand()).clear();
            }
        }
    }

    @Override
    public void write(IndexBatch batch, boolean sync) throws IOException {
        faults.step(true);
        var copy = new IndexBatch().addAll(batch);
        log.add(copy);
        apply(copy);
        if (sync) {
            synced = log.size();
        }
    }

    @Override
    public Optional<byte[]> get(Table table, byte[] key) throws IOException {
        faults.step(false);
        return Optional.ofNullable(table(table).get(key));
    }

    @Override
    public void scan(Table table, byte[] from, Visitor visitor) throws IOException {
        faults.step(false);
        for (var entry : new TreeMap<>(table(table).tailMap(from, true)).entrySet()) {
            if (!visitor.visit(entry.getKey(), entry.getValue())) {
                return;
            }
        }
    }

    @Override
    public void close() {}
}
