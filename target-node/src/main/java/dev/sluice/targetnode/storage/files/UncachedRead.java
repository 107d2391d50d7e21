package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads a file from the drive itself, past the page cache (`O_DIRECT`).
public final class UncachedRead {
    private static final String NOT_SUPPORTED = "Invalid argument";

    /// Taken by its name: the compiler warns of every use of the JDK's own option, and no annotation stops it.
    private static final Optional<OpenOption> DIRECT = direct();

    private UncachedRead() {}

    private static Optional<OpenOption> direct() {
        try {
            return Stream.of(
                            Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
                    .filter(option -> option.toString().equals("DIRECT"))
                    .map(OpenOption.class::cast)
                    .findFirst();
        } catch (ClassNotFoundException _) {
            return Optional.empty(); // another maker's JDK
        }
    }

    /// @return its first bytes, at most as many as were asked for; empty when the file system cannot do it
    public static Optional<ByteBuffer> of(Path file, int bytes) throws IOException {
        DriveThread.assertMayBlock();
        if (DIRECT.isEmpty()) {
            return Optional.empty();
        }
        int block = Math.toIntExact(Files.getFileStore(file).getBlockSize());
        int whole = (bytes + block - 1) / block * block;
        var buffer =
                ByteBuffer.allocateDirect(whole + block).alignedSlice(block).limit(whole);
        try (var channel = FileChannel.open(file, StandardOpenOption.READ, DIRECT.get())) {
            int read = channel.read(buffer, 0);
            return Optional.of(buffer.flip().limit(Math.clamp(read, 0, bytes)));
        } catch (UnsupportedOperationException _) {
            return Optional.empty();
        } catch (IOException failure) {
            if (String.valueOf(failure.getMessage()).contains(NOT_SUPPORTED)) {
                return Optional.empty();
            }
            throw failure;
        }
    }
}
