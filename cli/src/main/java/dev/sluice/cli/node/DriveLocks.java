package dev.sluice.cli.node;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/// Keeps two processes from using one drive. The locks go with the process, however it ends.
final class DriveLocks implements AutoCloseable {
    private final List<FileChannel> channels = new ArrayList<>();

    private DriveLocks() {}

    static DriveLocks take(List<Path> drives) throws StartRefused {
        var locks = new DriveLocks();
        try {
            for (var drive : drives) {
                locks.take(drive);
            }
            return locks;
        } catch (StartRefused refused) {
            locks.close();
            throw refused;
        }
    }

    private void take(Path drive) throws StartRefused {
        try {
            var folder = Files.createDirectories(drive.resolve(".sluice"));
            var channel = FileChannel.open(
                    folder.resolve("process.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channels.add(channel);
            if (channel.tryLock() == null) {
                throw new StartRefused("drive " + drive + " is in use by another process");
            }
        } catch (OverlappingFileLockException twice) {
            throw new StartRefused("drive " + drive + " is in use by another node of this process", twice);
        } catch (IOException unusable) {
            throw new StartRefused("drive " + drive + " cannot be used: " + unusable, unusable);
        }
    }

    @Override
    public void close() {
        for (var channel : channels) {
            try {
                channel.close();
            } catch (IOException ended) {
                LoggerFactory.getLogger(DriveLocks.class).warn("a drive's lock cannot be given back", ended);
            }
        }
    }
}
