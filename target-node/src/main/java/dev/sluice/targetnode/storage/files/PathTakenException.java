package dev.sluice.targetnode.storage.files;

import java.io.IOException;

/// A file stands where a folder is needed, or a folder where a file is.
public final class PathTakenException extends IOException {
    public PathTakenException(String path) {
        super("something else is at " + path);
    }
}
