package dev.sluice.targetnode.storage.record;

import java.io.IOException;

/// What was read is not what was written.
public final class DamagedRecordException extends IOException {
    public DamagedRecordException(String message) {
        super(message);
    }
}
