package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/// The Linux calls that Java has no way to, or no cheap one: an open file's inode, size and time of change in one call
/// without a path (statx with an empty path; its layout is the same on every processor), a descriptor for it, how much
/// of it is in memory (cachestat, which the C library does not name yet), reads that do not wait for the drive, bytes
/// from a file to a socket, advice on what is read next, the begin of a sync, the sync of a whole file system, and a
/// file that has its name last.
@SuppressWarnings("restricted") // these calls are what the launcher enables native access for
final class NativeFile {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int O_DIRECTORY = System.getProperty("os.arch").equals("aarch64") ? 0x4000 : 0x10000;
    private static final int O_TMPFILE_WRONLY_CLOEXEC = 0x400000 | O_DIRECTORY | 0x1 | O_RDONLY_CLOEXEC;
    private static final int READ_WRITE = 0666; // less what the process's mask takes away
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_FOLLOW = 0x400;
    static final int ENOENT = 2;
    static final int EEXIST = 17;
    static final int ENOTDIR = 20;
    static final int EISDIR = 21;
    static final int ENOSPC = 28;
    static final int EOPNOTSUPP = 95;
    static final int EDQUOT = 122;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_CTIME_INO_SIZE = 0x80 | 0x100 | 0x200;
    private static final int STATX_BYTES = 256;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int CTIME_SECONDS = 96;
    private static final int CTIME_NANOS = 104;
    private static final int SYNC_FILE_RANGE_WRITE = 2;
    private static final long CACHESTAT = 451; // on every processor
    private static final int RANGE_LENGTH = 8;
    private static final int CACHED = 64;
    private static final int SC_PAGESIZE = 30;
    private static final int EINTR = 4;
    private static final int RWF_NOWAIT = 8;
    private static final int RANDOM = 1;
    private static final int WILL_NEED = 3;

    private static final MethodHandle OPEN = function(
            "open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle SYNCFS =
            function("syncfs", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle SYNC_FILE_RANGE = function(
            "sync_file_range",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT));
    private static final MethodHandle STATX = function(
            "statx",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS));
    private static final MethodHandle SYSCALL = function(
            "syscall",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(1));
    private static final long PAGE = pageSize();
    private static final MethodHandle OPEN_UNNAMED = function(
            "open",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle WRITE = function(
            "write",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle SET_ATTRIBUTE = function(
            "fsetxattr",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle LINK = function(
            "linkat",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle READ = function(
            "pread",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle READ_AT_ONCE = function(
            "preadv2",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT));
    private static final MethodHandle SEND = function(
            "sendfile",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG));
    private static final MethodHandle ADVISE = function(
            "posix_fadvise",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT));
    private static final MethodHandle ERROR_TEXT =
            function("strerror", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final int LONGEST_ERROR_TEXT = 256;
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
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

    private static long pageSize() {
        try {
            return (long) function("sysconf", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT))
                    .invokeExact(SC_PAGESIZE);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /// Whether all of these bytes are in the page cache. Kernels before 6.5 do not tell: then they count as there.
    ///
    /// @param length more than 0
    static boolean isCached(int descriptor, long offset, long length) {
        var range = ANSWER.get();
        range.set(ValueLayout.JAVA_LONG, 0, offset);
        range.set(ValueLayout.JAVA_LONG, RANGE_LENGTH, length);
        var answer = range.asSlice(CACHED);
        long result;
        try {
            result = (long) SYSCALL.invokeExact(CACHESTAT, descriptor, range, answer, 0);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
        long pages = (offset + length - 1) / PAGE - offset / PAGE + 1;
        return result != 0 || answer.get(ValueLayout.JAVA_LONG, 0) >= pages;
    }

    /// Reads into native memory, and waits for the drive if it must.
    ///
    /// @return how many bytes; 0 at the end of the file
    static int read(int descriptor, long offset, MemorySegment into) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long read;
            do {
                read = (long) READ.invokeExact(state, descriptor, into, into.byteSize(), offset);
            } while (read < 0 && errno(state) == EINTR);
            if (read < 0) {
                throw new IOException(errorText(errno(state)));
            }
            return (int) read;
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static String errorText(int error) throws Throwable {
        var text = (MemorySegment) ERROR_TEXT.invokeExact(error);
        return text.reinterpret(LONGEST_ERROR_TEXT).getString(0);
    }

    /// Reads what is in the page cache into native memory. Never waits for the drive.
    ///
    /// @return how many bytes; less than asked for where one is not there, or the file system cannot tell
    static long readAtOnce(int descriptor, long offset, MemorySegment into) {
        var vector = ANSWER.get();
        vector.set(ValueLayout.JAVA_LONG, 0, into.address());
        vector.set(ValueLayout.JAVA_LONG, RANGE_LENGTH, into.byteSize());
        try {
            return (long) READ_AT_ONCE.invokeExact(descriptor, vector, 1, offset, RWF_NOWAIT);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /// Hands bytes of a file to a socket that does not block.
    ///
    /// @return how many it took; 0 or less when it takes none now, or no more
    static long send(int descriptor, long offset, long length, int socket) {
        var position = ANSWER.get();
        position.set(ValueLayout.JAVA_LONG, 0, offset);
        try {
            return (long) SEND.invokeExact(socket, descriptor, position, length);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /// The kernel is to read nothing from the drive that was not asked for.
    static void expectRandomReads(int descriptor) {
        advise(descriptor, 0, 0, RANDOM);
    }

    /// The kernel may begin to read this.
    static void expectRead(int descriptor, long offset, long length) {
        advise(descriptor, offset, length, WILL_NEED);
    }

    private static void advise(int descriptor, long offset, long length, int advice) {
        try {
            int ignored = (int) ADVISE.invokeExact(descriptor, offset, length, advice);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /// Makes a file in a folder that has no name yet, with its bytes and its attribute, and gives it one.
    ///
    /// @return 0, or the number of the error; then nothing remains of it
    static int createWhole(String folder, String path, byte[] data, String attribute, byte[] value) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            int descriptor = (int) OPEN_UNNAMED.invokeExact(
                    state, arena.allocateFrom(folder, StandardCharsets.UTF_8), O_TMPFILE_WRONLY_CLOEXEC, READ_WRITE);
            if (descriptor < 0) {
                return errno(state);
            }
            try {
                int failed = write(arena, state, descriptor, data);
                failed = failed == 0 ? setAttribute(arena, state, descriptor, attribute, value) : failed;
                return failed == 0 ? giveName(arena, state, descriptor, path) : failed;
            } finally {
                close(descriptor);
            }
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static int write(Arena arena, MemorySegment state, int descriptor, byte[] data) throws Throwable {
        var bytes = arena.allocate(Math.max(1, data.length));
        MemorySegment.copy(data, 0, bytes, ValueLayout.JAVA_BYTE, 0, data.length);
        for (long done = 0; done < data.length; ) {
            long written = (long) WRITE.invokeExact(state, descriptor, bytes.asSlice(done), data.length - done);
            if (written < 0) {
                return errno(state);
            }
            done += written;
        }
        return 0;
    }

    private static int setAttribute(Arena arena, MemorySegment state, int descriptor, String name, byte[] value)
            throws Throwable {
        int result = (int) SET_ATTRIBUTE.invokeExact(
                state,
                descriptor,
                arena.allocateFrom(name, StandardCharsets.UTF_8),
                arena.allocateFrom(ValueLayout.JAVA_BYTE, value),
                (long) value.length,
                0);
        return result == 0 ? 0 : errno(state);
    }

    private static int giveName(Arena arena, MemorySegment state, int descriptor, String path) throws Throwable {
        int result = (int) LINK.invokeExact(
                state,
                AT_FDCWD,
                arena.allocateFrom("/proc/self/fd/" + descriptor),
                AT_FDCWD,
                arena.allocateFrom(path, StandardCharsets.UTF_8),
                AT_SYMLINK_FOLLOW);
        return result == 0 ? 0 : errno(state);
    }

    private static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    /// The drive begins to write these bytes; what file systems cannot do that is no error.
    static void beginSync(int descriptor, long offset, long length) {
        try {
            int ignored = (int) SYNC_FILE_RANGE.invokeExact(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
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
