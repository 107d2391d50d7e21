package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;

/// A drive's files as one attachment of the drive uses them: tells a failed sync from other failures, and can say
/// whether the drive's path still leads to the file system that was attached.
public final class GuardedFiles implements DriveFiles {
    private final DriveFiles files;
    private final Path root;
    private final Optional<Object> attached;

    /// @param root where `files` are
    public GuardedFiles(DriveFiles files, Path root) throws IOException {
        this.files = files;
        this.root = root;
        this.attached = key();
    }

    /// Device and inode of the folder that every drive has.
    private Optional<Object> key() throws IOException {
        DriveThread.assertMayBlock();
        return Optional.ofNullable(Files.readAttributes(root.resolve(".sluice"), BasicFileAttributes.class)
                .fileKey());
    }

    /// One call to the kernel.
    ///
    /// @throws IOException when the drive that was attached is not at its path any more
    public void requireThere() throws IOException {
        if (!key().equals(attached)) {
            throw new IOException("another drive is mounted at " + root);
        }
    }

    /// One call to the kernel.
    ///
    /// @return false where the file system has turned read-only
    public boolean isWritable() {
        DriveThread.assertMayBlock();
        return Files.isWritable(root.resolve(".sluice"));
    }

    @Override
    public DriveFile create(String path) throws IOException {
        return new SyncNaming(path, files.create(path));
    }

    @Override
    public boolean createWhole(String path, byte[] data, byte[] attribute) throws IOException {
        return files.createWhole(path, data, attribute);
    }

    @Override
    public DriveFile edit(String path) throws IOException {
        return new SyncNaming(path, files.edit(path));
    }

    @Override
    public DriveFile open(String path) throws IOException {
        return files.open(path);
    }

    @Override
    public boolean isFile(String path) {
        return files.isFile(path);
    }

    @Override
    public long size(String path) throws IOException {
        return files.size(path);
    }

    @Override
    public Optional<byte[]> attribute(String path) throws IOException {
        return files.attribute(path);
    }

    @Override
    public void setAttribute(String path, byte[] value) throws IOException {
        files.setAttribute(path, value);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        files.rename(from, to);
    }

    /// Looks first, for it would make folders where another file system is, or none is mounted, too.
    @Override
    public void createFolders(String path) throws IOException {
        requireThere();
        files.createFolders(path);
    }

    @Override
    public boolean delete(String path) throws IOException {
        return files.delete(path);
    }

    @Override
    public boolean deleteFolder(String path) throws IOException {
        return files.deleteFolder(path);
    }

    @Override
    public void syncFolder(String path) throws IOException {
        try {
            files.syncFolder(path);
        } catch (IOException failure) {
            throw syncFailed(path, failure);
        }
    }

    @Override
    public void syncAll() throws IOException {
        try {
            files.syncAll();
        } catch (IOException failure) {
            throw syncFailed("", failure);
        }
    }

    /// Looks at each batch: whoever acts on a name of this drive must not do so on another one, and a folder that
    /// is not there must not look empty when the whole drive is gone.
    @Override
    public FolderWalk walk(String path) throws IOException {
        requireThere();
        return new Present(files.walk(path));
    }

    @Override
    public long freeBytes() throws IOException {
        return files.freeBytes();
    }

    @Override
    public long totalBytes() throws IOException {
        return files.totalBytes();
    }

    @Override
    public void close() {
        files.close();
    }

    /// A full drive and a folder that is not there are what they are; the rest is a failed sync.
    private static IOException syncFailed(String path, IOException failure) {
        return failure instanceof DriveFullException || failure instanceof java.nio.file.NoSuchFileException
                ? failure
                : new SyncFailedException(path, failure);
    }

    private final class Present implements FolderWalk {
        private final FolderWalk walk;

        Present(FolderWalk walk) {
            this.walk = walk;
        }

        @Override
        public List<String> next() throws IOException {
            var batch = walk.next();
            requireThere();
            return batch;
        }

        /// Also where the drive is gone: its folder is open still, and would keep it from being unmounted.
        @Override
        public void close() {
            walk.close();
        }
    }

    private record SyncNaming(String path, DriveFile file) implements DriveFile {
        @Override
        public void write(long offset, ByteBuffer bytes) throws IOException {
            file.write(offset, bytes);
        }

        @Override
        public void writeUncached(long offset, ByteBuffer bytes) throws IOException {
            file.writeUncached(offset, bytes);
        }

        @Override
        public void read(long offset, ByteBuffer into) throws IOException {
            file.read(offset, into);
        }

        @Override
        public void readUncached(long offset, ByteBuffer into) throws IOException {
            file.readUncached(offset, into);
        }

        @Override
        public void beginSync(long offset, long length) {
            file.beginSync(offset, length);
        }

        @Override
        public void sync() throws IOException {
            try {
                file.sync();
            } catch (IOException failure) {
                throw syncFailed(path, failure);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public FileIdentity identity() throws IOException {
            return file.identity();
        }

        @Override
        public boolean isCached(long offset, int length) {
            return file.isCached(offset, length);
        }

        @Override
        public boolean readAtOnce(long offset, ByteBuffer into) {
            return file.readAtOnce(offset, into);
        }

        @Override
        public long sendAtOnce(long offset, long length, int socket) {
            return file.sendAtOnce(offset, length, socket);
        }

        @Override
        public void expectRead(long offset, long length) {
            file.expectRead(offset, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
