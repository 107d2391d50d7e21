package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Optional;

/// The files below one folder of a local file system. The attribute is `user.sluice`.
public final class LocalDriveFiles implements DriveFiles {
    private static final String ATTRIBUTE = "sluice";
    private static final String NO_SUCH_ATTRIBUTE = "No data available";

    private final Path root;
    /// Open from before the first write that [#syncAll] answers for: the kernel tells each descriptor of the failures
    /// since it was opened.
    private final int rootDescriptor;

    public LocalDriveFiles(Path root) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        this.rootDescriptor = NativeFile.open(this.root.toString());
    }

    private Path at(String path) {
        DriveThread.assertMayBlock();
        var full = root.resolve(path).normalize();
        if (!full.startsWith(root)) {
            throw new IllegalArgumentException(path + " leads out of the drive");
        }
        return full;
    }

    /// The same failure, under a name of its own where we act on it.
    static IOException named(IOException failure) {
        var message = String.valueOf(failure.getMessage());
        return message.contains("No space left on device") || message.contains("Disk quota exceeded")
                ? new DriveFullException(message, failure)
                : failure;
    }

    @Override
    public DriveFile create(String path) throws IOException {
        return writing(path, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public boolean createWhole(String path, byte[] data, byte[] attribute) throws IOException {
        var full = at(path);
        int error = NativeFile.createWhole(
                String.valueOf(full.getParent()), full.toString(), data, "user." + ATTRIBUTE, attribute);
        return switch (error) {
            case 0 -> true;
            // EISDIR: a kernel that does not know of files without a name
            case NativeFile.EEXIST, NativeFile.EOPNOTSUPP, NativeFile.EISDIR -> false;
            case NativeFile.ENOENT -> throw new NoSuchFileException(path);
            case NativeFile.ENOTDIR -> throw new PathTakenException(path);
            case NativeFile.ENOSPC, NativeFile.EDQUOT ->
                throw new DriveFullException(path, new IOException("No space left on device"));
            default -> throw new IOException(path + ": error " + error);
        };
    }

    @Override
    public DriveFile edit(String path) throws IOException {
        return writing(path, StandardOpenOption.WRITE);
    }

    private DriveFile writing(String path, StandardOpenOption how) throws IOException {
        try {
            return LocalDriveFile.open(at(path), how);
        } catch (IOException failure) {
            throw named(failure);
        }
    }

    @Override
    public DriveFile open(String path) throws IOException {
        var full = at(path);
        if (!Files.isRegularFile(full, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(path);
        }
        return OpenedDriveFile.open(full);
    }

    @Override
    public boolean isFile(String path) {
        return Files.isRegularFile(at(path), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public long size(String path) throws IOException {
        return Files.size(at(path));
    }

    @Override
    public Optional<byte[]> attribute(String path) throws IOException {
        var view = attributes(at(path));
        try {
            var value = ByteBuffer.allocate(4096);
            view.read(ATTRIBUTE, value);
            var bytes = new byte[value.position()];
            value.flip().get(bytes);
            return Optional.of(bytes);
        } catch (FileSystemException failure) {
            if (String.valueOf(failure.getReason()).contains(NO_SUCH_ATTRIBUTE)) {
                return Optional.empty();
            }
            throw failure;
        }
    }

    @Override
    public void setAttribute(String path, byte[] value) throws IOException {
        try {
            attributes(at(path)).write(ATTRIBUTE, ByteBuffer.wrap(value));
        } catch (IOException failure) {
            throw named(failure);
        }
    }

    private static UserDefinedFileAttributeView attributes(Path path) throws IOException {
        var view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (view == null) {
            throw new IOException("no extended attributes on the file system of " + path);
        }
        return view;
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            Files.move(at(from), at(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException missing) {
            throw missing;
        } catch (FileSystemException failure) {
            throw isTaken(at(to)) ? new PathTakenException(to) : named(failure);
        }
    }

    private boolean isTaken(Path path) {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        for (var above = path.getParent(); above != null && !above.equals(root); above = above.getParent()) {
            if (Files.exists(above, LinkOption.NOFOLLOW_LINKS)) {
                return !Files.isDirectory(above, LinkOption.NOFOLLOW_LINKS);
            }
        }
        return false;
    }

    @Override
    public void createFolders(String path) throws IOException {
        try {
            createFolders(root, at(path));
        } catch (FileAlreadyExistsException _) {
            throw new PathTakenException(path);
        } catch (FileSystemException failure) {
            throw isTaken(at(path + "/x")) ? new PathTakenException(path) : named(failure);
        }
    }

    /// Makes a folder and those above it, but never the drive's own: where that is gone, the drive is, and an empty one
    /// in its place would look like a new drive.
    ///
    /// @throws NoSuchFileException when the drive's own is not there
    public static void createFolders(Path drive, Path folder) throws IOException {
        try {
            Files.createDirectory(folder);
        } catch (FileAlreadyExistsException taken) {
            if (!Files.isDirectory(folder)) {
                throw taken;
            }
        } catch (NoSuchFileException missing) {
            var above = folder.getParent();
            if (above == null || above.equals(drive)) {
                throw missing;
            }
            createFolders(drive, above);
            createFolders(drive, folder);
        }
    }

    @Override
    public boolean delete(String path) throws IOException {
        var full = at(path);
        if (Files.isDirectory(full, LinkOption.NOFOLLOW_LINKS)) {
            throw new PathTakenException(path);
        }
        try {
            return Files.deleteIfExists(full);
        } catch (FileSystemException failure) {
            if (isTaken(full)) {
                return false;
            }
            throw failure;
        }
    }

    @Override
    public boolean deleteFolder(String path) throws IOException {
        try {
            Files.deleteIfExists(at(path));
            return true;
        } catch (DirectoryNotEmptyException _) {
            return false;
        }
    }

    @Override
    public void syncFolder(String path) throws IOException {
        try (var folder = FileChannel.open(at(path), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    @Override
    public void syncAll() throws IOException {
        DriveThread.assertMayBlock();
        NativeFile.syncFileSystem(rootDescriptor);
    }

    @Override
    public void close() {
        NativeFile.close(rootDescriptor);
    }

    @Override
    public FolderWalk walk(String path) throws IOException {
        try {
            return new LocalFolderWalk(at(path));
        } catch (NoSuchFileException | NotDirectoryException _) {
            return new NoFolder();
        }
    }

    /// There is none.
    private static final class NoFolder implements FolderWalk {
        @Override
        public List<String> next() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    @Override
    public long freeBytes() throws IOException {
        long _ = totalBytes(); // where that is not known, 0 would mean a full drive
        return at("").toFile().getUsableSpace();
    }

    /// Not by a FileStore: to make one, the JDK reads the table of mounts.
    @Override
    public long totalBytes() throws IOException {
        var folder = at("");
        long total = folder.toFile().getTotalSpace();
        if (total == 0) {
            throw new IOException("the file system at " + folder + " does not say how large it is");
        }
        return total;
    }
}
