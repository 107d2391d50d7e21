package dev.sluice.targetnode.storage.attach;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Keeps a second process off a drive, as long as this one lives.
public final class DriveLock implements AutoCloseable {
    /// Linux gives a lock up when *any* descriptor of the file is closed in the process, so a drive that this process
    /// has must be known without opening the file again. The one piece of static state: it is the process's.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path drive;
    private final FileChannel channel;

    private DriveLock(Path drive, FileChannel channel) {
        this.drive = drive;
        this.channel = channel;
    }

    /// @throws DriveInUseException when a process has it
    public static DriveLock take(Path path) throws IOException {
        var drive = path.toRealPath();
        if (!HELD.add(drive)) {
            throw inUse(path, "this process");
        }
        boolean taken = false;
        try {
            var file = drive.resolve(".sluice/lock");
            var channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (channel.tryLock() == null) {
                channel.close();
                throw inUse(path, "process " + Files.readString(file).strip());
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            taken = true;
            return new DriveLock(drive, channel);
        } finally {
            if (!taken) {
                HELD.remove(drive);
            }
        }
    }

    private static DriveInUseException inUse(Path drive, String by) {
        return new DriveInUseException("drive " + drive + " is in use by " + by + ", which holds its .sluice/lock");
    }

    @Override
    public void close() throws IOException {
        channel.close();
        HELD.remove(drive);
    }
}
