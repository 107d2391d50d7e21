package dev.sluice.cli.cluster;

import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// `DIR/lock`: byte 0 is held by the one command that changes something, byte 1 (shared) by every process of nodes.
/// Locks end with their process, so a crash leaves none behind.
public final class DirLock implements AutoCloseable {
    /// A second `up` waits for the first and finds its cluster.
    private static final Duration LONGEST_COMMAND = Duration.ofSeconds(60);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

    private final FileChannel channel;

    private DirLock(FileChannel channel) {
        this.channel = channel;
    }

    /// For a command that starts or stops something.
    static DirLock forCommand(Layout layout) {
        return take(layout.lock(), 0, false, LONGEST_COMMAND, "another sluice command is at work in " + layout.dir());
    }

    /// For a process of nodes, for as long as it lives.
    public static DirLock forNodes(Path dir) {
        return take(new Layout(dir).lock(), 1, true, Duration.ZERO, dir + " is being taken over by another process");
    }

    /// Refuses a DIR whose nodes run though no file says so.
    void checkNoNodes(Layout layout) {
        try (FileLock probe = channel.tryLock(1, 1, false)) {
            if (probe == null) {
                throw CommandFailure.refused(
                        layout.dir() + " is in use by processes that its files do not name: is it a copy, or shared?");
            }
        } catch (IOException unusable) {
            throw CommandFailure.failed(layout.lock() + " cannot be locked: " + unusable.getMessage());
        }
    }

    private static DirLock take(Path file, int position, boolean shared, Duration patience, String busy) {
        try {
            var channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PrivateFiles.OWNER_ONLY);
            var end = System.nanoTime() + patience.toNanos();
            @Nullable FileLock lock = channel.tryLock(position, 1, shared);
            while (lock == null && System.nanoTime() < end) {
                LockSupport.parkNanos(LOOK_AGAIN.toNanos());
                lock = channel.tryLock(position, 1, shared);
            }
            if (lock == null) {
                channel.close();
                throw CommandFailure.refused(busy);
            }
            return new DirLock(channel);
        } catch (IOException unusable) {
            throw CommandFailure.refused(file + " cannot be locked: " + unusable);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException unexpected) {
            throw CommandFailure.failed("the lock cannot be given back: " + unexpected.getMessage());
        }
    }
}
