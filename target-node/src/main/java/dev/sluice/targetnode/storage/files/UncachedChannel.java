package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A way to an open file past the page cache, opened when it is first used; none where the file system has no such way.
final class UncachedChannel implements AutoCloseable {
    /// How Linux says that a file system has no direct reads and writes, or none of these (EINVAL), and how the JDK
    /// does where its blocks are larger than ours.
    private static final List<String> NOT_ALIGNED = List.of("Invalid argument", "multiple of the block size");

    private static final Optional<OpenOption> DIRECT = direct("com.sun.nio.file.ExtendedOpenOption");

    interface Use {
        void of(FileChannel channel) throws IOException;
    }

    private final Path path;
    private final OpenOption use;
    private Optional<FileChannel> channel = Optional.empty();
    private boolean none = DIRECT.isEmpty();

    /// @param path where the file can be opened once more
    /// @param use whether it is read or written
    UncachedChannel(Path path, OpenOption use) {
        this.path = path;
        this.use = use;
    }

    /// Named at run time: the JDK exports it (module jdk.unsupported), but its compiler warns of the name.
    private static Optional<OpenOption> direct(String options) {
        try {
            return Optional.of(
                    (OpenOption) Class.forName(options).getField("DIRECT").get(null));
        } catch (ReflectiveOperationException _) {
            return Optional.empty(); // another JDK: all goes through the page cache
        }
    }

    /// @return false when there is no such way; what was begun then is to be done by the page cache
    boolean tried(Use action) throws IOException {
        try {
            var opened = opened();
            if (opened.isPresent()) {
                action.of(opened.get());
            }
            return opened.isPresent();
        } catch (IOException failure) {
            var message = String.valueOf(failure.getMessage());
            if (NOT_ALIGNED.stream().noneMatch(message::contains)) {
                throw LocalDriveFiles.named(failure);
            }
            none = true;
            return false;
        }
    }

    private Optional<FileChannel> opened() throws IOException {
        if (none) {
            return Optional.empty();
        }
        if (channel.isEmpty()) {
            try {
                channel = Optional.of(FileChannel.open(path, use, DIRECT.orElseThrow()));
            } catch (UnsupportedOperationException _) {
                none = true;
            }
        }
        return channel;
    }

    @Override
    public void close() throws IOException {
        if (channel.isPresent()) {
            channel.get().close();
        }
    }
}
