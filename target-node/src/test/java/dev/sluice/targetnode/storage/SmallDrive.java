package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.files.DriveFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/// A drive that says it has so many bytes and that its files, but for the index, use what they do in blocks of 4 KiB.
/// Nobody is kept from writing more.
public final class SmallDrive {
    private static final long BLOCK = 4096;

    private final Path root;
    private volatile long total;

    public SmallDrive(Path root, long total) {
        this.root = root;
        this.total = total;
    }

    /// Another size from now on.
    public void resize(long bytes) {
        total = bytes;
    }

    public static ObjectStore open(StoreConfig config, UnaryOperator<DriveFiles> seam) throws IOException {
        return ObjectStore.open(config, seam);
    }

    public UnaryOperator<DriveFiles> seam() {
        return files -> (DriveFiles) Proxy.newProxyInstance(
                DriveFiles.class.getClassLoader(), new Class<?>[] {DriveFiles.class}, (_, method, arguments) -> {
                    if (method.getName().equals("totalBytes")) {
                        return total;
                    }
                    if (method.getName().equals("freeBytes")) {
                        return total - used();
                    }
                    try {
                        return method.invoke(files, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause() == null ? failure : failure.getCause();
                    }
                });
    }

    public long used() {
        return used(root.resolve("objects"))
                + used(root.resolve("slices"))
                + used(root.resolve(".sluice/work"))
                + used(root.resolve(".sluice/escaped"));
    }

    private static long used(Path path) {
        try {
            if (!Files.isDirectory(path)) {
                return (Files.size(path) / BLOCK + 1) * BLOCK;
            }
            try (var found = Files.list(path)) {
                return found.mapToLong(SmallDrive::used).sum();
            }
        } catch (NoSuchFileException _) {
            return 0; // gone meanwhile
        } catch (IOException | UncheckedIOException failure) {
            return 0; // a folder that went while it was listed
        }
    }
}
