package dev.sluice.targetnode.coldfill;

import dev.sluice.testing.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/// A small file system of its own in a file, for tests as root. Where it cannot be had the test is skipped with a line,
/// also with `SLUICE_REQUIRE_PEERS=1`: what a kernel can mount is no peer to be installed.
final class LoopFileSystem implements AutoCloseable {
    private final Path mounted;
    private final Path record;

    private LoopFileSystem(Path mounted, Path record) {
        this.mounted = mounted;
        this.record = record;
    }

    /// @param type `ext4` or `xfs`
    static LoopFileSystem mount(Path folder, String type, long bytes) throws IOException {
        var image = folder.resolve(type + ".image");
        try (var file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), bytes - 1);
        }
        var mounted = Files.createDirectories(folder.resolve(type));
        // of so small an ext4 the blocks would be too small for our attributes
        require("mkfs." + type, "-q", "-b", type.equals("xfs") ? "size=4096" : "4096", image.toString());
        var record = Mounts.begun(mounted, image);
        try {
            require("mount", "-o", "loop", image.toString(), mounted.toString());
        } catch (TestAbortedException notHere) {
            Mounts.ended(record);
            throw notHere;
        }
        return new LoopFileSystem(mounted, record);
    }

    Path path() {
        return mounted;
    }

    /// Somebody else takes all there is, and what becomes free meanwhile.
    Path fillUp() throws IOException {
        return take(Long.MAX_VALUE);
    }

    /// Somebody else takes all there is now, with what is kept for root.
    Path takeWhatIsFree() throws IOException {
        return take(Files.getFileStore(mounted).getUnallocatedSpace());
    }

    private Path take(long bytes) throws IOException {
        var filler = mounted.resolve("filler");
        var piece = ByteBuffer.allocate(1 << 20);
        try (var file = FileChannel.open(filler, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int size = piece.capacity(); size >= 4096; size /= 2) {
                write(piece.clear().limit(size), bytes, file);
            }
        }
        return filler;
    }

    private static void write(ByteBuffer piece, long upTo, FileChannel file) throws IOException {
        try {
            while (file.size() <= upTo - piece.limit()) {
                file.write(piece.rewind());
            }
        } catch (IOException full) {
            if (!String.valueOf(full.getMessage()).contains("No space left")) {
                throw full;
            }
        }
    }

    private static void require(String... command) throws IOException {
        var said = run(command);
        if (!said.isEmpty()) {
            var line = "needs root, mkfs and loop devices: %s: %s".formatted(command[0], said);
            Assumptions.abort(line);
        }
    }

    /// @return empty when it worked
    private static String run(String... command) throws IOException {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            int code = process.waitFor();
            return code == 0 ? "" : "exit %d %s".formatted(code, said.strip()).toLowerCase(Locale.ROOT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (IOException absent) {
            return Arrays.toString(command) + " " + absent.getMessage();
        }
    }

    @Override
    public void close() {
        try {
            var said = run("umount", mounted.toString());
            if (!said.isEmpty()) {
                run("umount", "-l", mounted.toString());
                throw new AssertionError("umount: " + said);
            }
            Mounts.ended(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
