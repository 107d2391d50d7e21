package dev.sluice.targetnode.storage.index;

import java.io.IOException;

/// The index cannot be read; the files can make it again.
public final class DamagedIndexException extends IOException {
    public DamagedIndexException(String message, Throwable cause) {
        super(message, cause);
    }
}
