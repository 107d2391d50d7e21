package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.files.FolderWalk;
import dev.sluice.targetnode.storage.index.DriveIndex;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A drive's files with something going wrong in some calls.
public final class FaultyFiles {
    /// Called before each call of a drive's files and of each open one.
    public interface Fault {
        void before(String call, String path) throws IOException;
    }

    /// Called in place of each call of a drive's files and of each open one.
    interface Instead {
        @Nullable
        Object call(Call call) throws Throwable;
    }

    /// A call to do or to spoil.
    static final class Call {
        private final Object seam;
        private final Method method;
        private final Object[] arguments;
        private final String path;

        Call(Object seam, Method method, Object[] arguments, String path) {
            this.seam = seam;
            this.method = method;
            this.arguments = arguments;
            this.path = path;
        }

        /// Of the file it concerns.
        String path() {
            return path;
        }

        Object argument(int number) {
            return arguments[number];
        }

        String name() {
            return method.getName();
        }

        /// @return of the real file or files
        @Nullable
        Object real(Object... with) throws Throwable {
            try {
                return method.invoke(seam, with);
            } catch (InvocationTargetException failure) {
                throw failure.getCause() == null ? failure : failure.getCause();
            }
        }

        @Nullable
        Object real() throws Throwable {
            return real(arguments);
        }
    }

    private FaultyFiles() {}

    /// One kind of call fails, of files whose path has this in it.
    static Fault failing(String call, String path) {
        return (its, at) -> {
            if (its.equals(call) && at.contains(path)) {
                throw new IOException("Input/output error");
            }
        };
    }

    /// In a fault.
    static void awaitIn(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
    }

    public static UnaryOperator<DriveFiles> with(Fault fault) {
        return instead(call -> {
            fault.before(call.name(), call.path());
            return call.real();
        });
    }

    static UnaryOperator<DriveFiles> instead(Instead instead) {
        return files -> wrap(DriveFiles.class, files, "", instead);
    }

    /// The same for a drive's index; the path is empty.
    static UnaryOperator<DriveIndex> index(Fault fault) {
        return index -> wrap(DriveIndex.class, index, "", call -> {
            fault.before(call.name(), call.path());
            return call.real();
        });
    }

    private static <T> T wrap(Class<T> seam, T real, String file, Instead instead) {
        return seam.cast(Proxy.newProxyInstance(
                seam.getClassLoader(), new Class<?>[] {seam}, (_, method, arguments) -> {
                    var given = arguments == null ? new Object[0] : arguments;
                    var path = given.length > 0 && given[0] instanceof String text ? text : file;
                    var result = instead.call(new Call(real, method, given, path));
                    return switch (result) {
                        case DriveFile opened -> wrap(DriveFile.class, opened, path, instead);
                        case FolderWalk walk -> wrap(FolderWalk.class, walk, path, instead);
                        case null, default -> result;
                    };
                }));
    }
}
