package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.index.RocksMemory;
import dev.sluice.targetnode.storage.space.CoarseClock;
import dev.sluice.targetnode.storage.space.Watermarks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// What an object store is opened with.
///
/// @param drives where they are; drives attached at run time need not be among them
/// @param lost ids of drives that an operator gives up for lost
/// @param reserveBytes kept free on each drive
/// @param queuePerDrive how much may wait for a drive's threads
/// @param queuedBytesPerDrive of bodies among that
/// @param hotFiles how many objects may be kept open
/// @param hotMemory how many bytes of small ones among them may be in memory
/// @param smallLimit objects up to this size are written in one step
/// @param verifiedFor how long verified bytes need not be verified again
/// @param watermarks how full a drive may become before copies are evicted
/// @param minutes tells when copies are read
/// @param indexMemory shared by all stores of a process; whoever made it closes it after the last of them
public record StoreConfig(
        String cluster,
        String node,
        List<Path> drives,
        Set<String> lost,
        long reserveBytes,
        int threadsPerDrive,
        int queuePerDrive,
        long queuedBytesPerDrive,
        int hotFiles,
        long hotMemory,
        int smallLimit,
        Duration verifiedFor,
        Watermarks watermarks,
        CoarseClock minutes,
        RocksMemory indexMemory) {
    public StoreConfig {
        drives = List.copyOf(drives);
        lost = Set.copyOf(lost);
    }
}
