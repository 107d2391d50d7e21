package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.files.DriveFile;
import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/// A drive's files with something going wrong in some calls.
final class FaultyFiles {
    /// Called before each call of a drive's files and of each open one.
    interface Fault {
        void before(String call, String path) throws IOException;
    }

    private FaultyFiles() {}

    static UnaryOperator<DriveFiles> with(Fault fault) {
        return files -> wrap(DriveFiles.class, files, "", fault);
    }

    /// The same for a drive's index; the path is empty.
    static UnaryOperator<DriveIndex> index(Fault fault) {
        return index -> wrap(DriveIndex.class, index, "", fault);
    }

    private static <T> T wrap(Class<T> seam, T real, String file, Fault fault) {
        return seam.cast(Proxy.newProxyInstance(
                seam.getClassLoader(), new Class<?>[] {seam}, (_, method, arguments) -> {
                    var path = arguments != null && arguments[0] instanceof String text ? text : file;
                    fault.before(method.getName(), path);
                    try {
                        var result = method.invoke(real, arguments);
                        return result instanceof DriveFile opened ? wrap(DriveFile.class, opened, path, fault) : result;
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause() == null ? failure : failure.getCause();
                    }
                }));
    }
}
