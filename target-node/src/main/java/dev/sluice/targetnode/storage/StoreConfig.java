package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.index.RocksMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// What an object store is opened with.
///
/// @param epoch the first half of the versions it gives
/// @param reserveBytes kept free on each drive
/// @param hotFiles how many objects may be kept open
/// @param smallLimit objects up to this size are written in one step and kept in memory while hot
/// @param verifiedFor how long verified bytes need not be verified again
/// @param indexMemory shared by all stores of a process; whoever made it closes it after the last of them
public record StoreConfig(
        String cluster,
        String node,
        List<Path> drives,
        long epoch,
        long reserveBytes,
        int threadsPerDrive,
        int queuePerDrive,
        int hotFiles,
        int smallLimit,
        Duration verifiedFor,
        RocksMemory indexMemory) {
    public StoreConfig {
        drives = List.copyOf(drives);
    }

    public StoreConfig withReserve(long bytes) {
        return new StoreConfig(
                cluster,
                node,
                drives,
                epoch,
                bytes,
                threadsPerDrive,
                queuePerDrive,
                hotFiles,
                smallLimit,
                verifiedFor,
                indexMemory);
    }
}
