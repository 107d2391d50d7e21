package dev.sluice.deploy.harness;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.testing.Mounts;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/// A file system of its own in a file, mounted: one whose power can be cut, or that can be filled. Taken away
/// whatever happens. Needs root, the tools and the kernel's help; a test without them is skipped with a line.
public final class MountedImage implements AutoCloseable {
    private static final Duration COMMAND = Duration.ofSeconds(60);

    /// Asks ext4 and xfs to stop as if the power was cut; without a flush of their journal.
    private static final long SHUTDOWN = 0x8004587DL;

    private static final int NO_LOG_FLUSH = 2;

    /// What is made, and how it is mounted so that nothing gets durable by luck.
    public enum Kind {
        EXT4(List.of("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096"), "loop,commit=300,noauto_da_alloc"),
        XFS(List.of("mkfs.xfs", "-q", "-f"), "loop");

        private final List<String> make;
        private final String options;

        Kind(List<String> make, String options) {
            this.make = make;
            this.options = options;
        }
    }

    private final Kind kind;
    private final Path image;
    private final Path mount;
    private final Path record;
    private final Thread atExit = new Thread(this::remove);

    private MountedImage(Kind kind, Path folder, long bytes) throws IOException {
        this.kind = kind;
        this.image = Files.createTempFile(place(folder, bytes), "sluice-drive", ".image");
        this.mount = Files.createDirectories(folder.resolve("mount"));
        this.record = Mounts.begun(mount, image);
    }

    /// In memory where there is plenty: what is lost and kept is the file system's doing, not the disk's.
    private static Path place(Path folder, long bytes) throws IOException {
        var memory = Path.of("/dev/shm");
        return Files.isDirectory(memory) && Files.getFileStore(memory).getUsableSpace() > 4 * bytes ? memory : folder;
    }

    /// @param folder for its mount point, and the image if there is no better place
    public static MountedImage make(Kind kind, Path folder, long bytes) {
        if (!"root".equals(System.getProperty("user.name"))) {
            Assumptions.abort("mounting a file system needs root");
        }
        try {
            var made = new MountedImage(kind, folder, bytes);
            boolean mounted = false;
            Runtime.getRuntime().addShutdownHook(made.atExit);
            try (var file = new RandomAccessFile(made.image.toFile(), "rw")) {
                file.setLength(bytes);
                skipUnless(kind.make, List.of(made.image));
                skipUnless(List.of("mount", "-o", kind.options), List.of(made.image, made.mount));
                mounted = true;
            } finally {
                if (!mounted) {
                    made.close();
                }
            }
            return made;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void skipUnless(List<String> command, List<Path> arguments) {
        var whole = new ArrayList<>(command);
        arguments.forEach(argument -> whole.add(argument.toString()));
        try {
            var finished = Finished.run(COMMAND, Map.of(), whole);
            if (finished.exit() != 0) {
                Assumptions.abort("%s does not work here: %s"
                        .formatted(
                                String.join(" ", whole), finished.err().strip().replace('\n', ' ')));
            }
        } catch (UncheckedIOException absent) {
            Assumptions.abort(command.getFirst() + " is not on the PATH");
        }
    }

    public Path path() {
        return mount;
    }

    /// A cluster with its drives here, one for each target.
    public SluiceCluster cluster(Path dir, int targets, String reserve) {
        try {
            Files.writeString(
                    Files.createDirectories(dir).resolve("sluice.toml"), """
                    [cluster]
                    targets = %d
                    drives = 1
                    drive_roots = ["%s"]
                    [storage]
                    reserve = "%s"
                    health_check_interval = "1s"
                    """.formatted(targets, mount, reserve));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return SluiceCluster.start(dir, Map.of());
    }

    /// From here on nothing is written, and what was not synced is gone.
    public void cutPower() {
        var linker = Linker.nativeLinker();
        var open = function(linker, "open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        var ioctl = function(
                linker,
                "ioctl",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(2));
        var close = function(linker, "close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        int result;
        try (var arena = Arena.ofConfined()) {
            int descriptor = (int) open.invokeExact(arena.allocateFrom(mount.toString(), UTF_8), 0);
            result = (int) ioctl.invokeExact(descriptor, SHUTDOWN, arena.allocateFrom(JAVA_INT, NO_LOG_FLUSH));
            result += (int) close.invokeExact(descriptor);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
        if (result != 0) {
            throw new IllegalStateException("the file system at " + mount + " does not shut down");
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(
            Linker linker, String name, FunctionDescriptor type, Linker.Option... options) {
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /// The machine starts again: what the file system has kept is mounted.
    public void mountAgain() {
        unmount();
        Finished.run(COMMAND, Map.of(), List.of("mount", "-o", kind.options, image.toString(), mount.toString()))
                .orFail("");
    }

    private void unmount() {
        Eventually.holds(
                COMMAND,
                () -> Finished.run(COMMAND, Map.of(), List.of("umount", mount.toString()))
                        .orFail(""));
    }

    private void remove() {
        if (isMounted()) {
            Finished.run(COMMAND, Map.of(), List.of("umount", "--lazy", mount.toString()));
        }
        try {
            Files.deleteIfExists(image);
            Mounts.ended(record);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private boolean isMounted() {
        return Finished.run(COMMAND, Map.of(), List.of("mountpoint", "-q", mount.toString()))
                        .exit()
                == 0;
    }

    @Override
    public void close() {
        remove();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
