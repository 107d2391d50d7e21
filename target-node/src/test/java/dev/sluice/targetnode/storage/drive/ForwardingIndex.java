package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import java.io.IOException;
import java.util.Optional;

/// Hands everything on to another index: for tests that look at what passes.
public abstract class ForwardingIndex implements DriveIndex {
    private final DriveIndex real;

    protected ForwardingIndex(DriveIndex real) {
        this.real = real;
    }

    @Override
    public void write(IndexBatch batch, boolean sync) throws IOException {
        real.write(batch, sync);
    }

    @Override
    public Optional<byte[]> get(Table table, byte[] key) throws IOException {
        return real.get(table, key);
    }

    @Override
    public void scan(Table table, byte[] from, Visitor visitor) throws IOException {
        real.scan(table, from, visitor);
    }

    @Override
    public void close() {
        real.close();
    }
}
