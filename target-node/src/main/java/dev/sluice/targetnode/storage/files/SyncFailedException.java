package dev.sluice.targetnode.storage.files;

import java.io.IOException;

/// What was to be on the drive may not be there (promise R10): the same sync is never tried again, and the drive is
/// not trusted until it was opened anew.
public final class SyncFailedException extends IOException {
    public SyncFailedException(String path, IOException cause) {
        super("sync of '" + path + "' failed: " + cause.getMessage(), cause);
    }
}
