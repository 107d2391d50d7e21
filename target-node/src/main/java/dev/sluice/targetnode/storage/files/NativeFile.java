package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/// The Linux calls that Java has no way to, or no cheap one: an open file's inode, size and time of change in one call
/// without a path (statx with an empty path; its layout is the same on every processor), a descriptor for it, and the
/// sync of a whole file system.
@SuppressWarnings("restricted") // these calls are what the launcher enables native access for
final class NativeFile {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_CTIME_INO_SIZE = 0x80 | 0x100 | 0x200;
    private static final int STATX_BYTES = 256;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int CTIME_SECONDS = 96;
    private static final int CTIME_NANOS = 104;

    private static final MethodHandle OPEN = function(
            "open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle SYNCFS =
            function("syncfs", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle STATX = function(
            "statx",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS));
    private static final MemorySegment EMPTY_PATH = Arena.global().allocate(1);
    private static final ThreadLocal<MemorySegment> ANSWER =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATX_BYTES, 8));

    private NativeFile() {}

    private static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }

    static int open(String path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            int descriptor = (int) OPEN.invokeExact(arena.allocateFrom(path, StandardCharsets.UTF_8), O_RDONLY_CLOEXEC);
            if (descriptor < 0) {
                throw new IOException("cannot open " + path);
            }
            return descriptor;
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static FileIdentity identity(int descriptor) throws IOException {
        var answer = ANSWER.get();
        int result;
        try {
            result = (int) STATX.invokeExact(descriptor, EMPTY_PATH, AT_EMPTY_PATH, STATX_CTIME_INO_SIZE, answer);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        if (result != 0) {
            throw new IOException("cannot stat an open file");
        }
        return new FileIdentity(
                answer.get(ValueLayout.JAVA_LONG, INODE),
                answer.get(ValueLayout.JAVA_LONG, SIZE),
                answer.get(ValueLayout.JAVA_LONG, CTIME_SECONDS) * 1_000_000_000L
                        + answer.get(ValueLayout.JAVA_INT, CTIME_NANOS));
    }

    /// @param descriptor of any file or folder of it
    static void syncFileSystem(int descriptor) throws IOException {
        int result;
        try {
            result = (int) SYNCFS.invokeExact(descriptor);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
        if (result != 0) {
            throw new IOException("the file system could not be synced");
        }
    }

    private static IOException unexpected(Throwable failure) {
        return switch (failure) {
            case IOException known -> known;
            case Error fatal -> throw fatal;
            default -> new IOException(failure);
        };
    }
}
