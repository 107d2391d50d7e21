package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// A folder of a local file system: the C library reads 32 KiB of names ahead.
final class LocalFolderWalk implements FolderWalk {
    private final DirectoryStream<Path> stream;
    private final Iterator<Path> names;

    @SuppressWarnings("StreamResourceLeak") // closed with this
    LocalFolderWalk(Path folder) throws IOException {
        this.stream = Files.newDirectoryStream(folder);
        this.names = stream.iterator();
    }

    @Override
    public List<String> next() throws IOException {
        DriveThread.assertMayBlock();
        var batch = new ArrayList<String>();
        try {
            while (batch.size() < BATCH && names.hasNext()) {
                var each = names.next();
                batch.add(each.getFileName() + (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS) ? "/" : ""));
            }
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
        return batch;
    }

    @Override
    public void close() {
        DriveThread.assertMayBlock();
        try {
            stream.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
