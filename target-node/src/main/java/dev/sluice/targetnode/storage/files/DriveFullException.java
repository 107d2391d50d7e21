package dev.sluice.targetnode.storage.files;

import java.io.IOException;

/// The file system has no room left (ENOSPC, EDQUOT).
public final class DriveFullException extends IOException {
    public DriveFullException(String message, Throwable cause) {
        super(message, cause);
    }
}
