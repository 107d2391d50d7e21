package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.space.CoarseClock;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// What a store under test is opened with: little memory, the usual watermarks, and what a test changes.
public final class StoreSettings {
    private final List<Path> drives;
    private final RocksMemory memory;
    private String node = "target001";
    private Set<String> lost = Set.of();
    private long reserve = 1 << 20;
    private long hotMemory = 32 << 20;
    private Duration verifiedFor = Duration.ofMinutes(5);
    private CoarseClock minutes = CoarseClock.ofSystem();

    public StoreSettings(List<Path> drives, RocksMemory memory) {
        this.drives = drives;
        this.memory = memory;
    }

    public StoreSettings node(String id) {
        node = id;
        return this;
    }

    StoreSettings lost(Set<String> ids) {
        lost = ids;
        return this;
    }

    public StoreSettings reserve(long bytes) {
        reserve = bytes;
        return this;
    }

    StoreSettings hotMemory(long bytes) {
        hotMemory = bytes;
        return this;
    }

    StoreSettings verifiedFor(Duration time) {
        verifiedFor = time;
        return this;
    }

    StoreSettings minutes(CoarseClock source) {
        minutes = source;
        return this;
    }

    public StoreConfig build() {
        return new StoreConfig(
                "cluster1",
                node,
                drives,
                lost,
                reserve,
                8,
                512,
                32 << 20,
                1024,
                hotMemory,
                64 << 10,
                verifiedFor,
                Watermarks.DEFAULT,
                minutes,
                memory);
    }
}
