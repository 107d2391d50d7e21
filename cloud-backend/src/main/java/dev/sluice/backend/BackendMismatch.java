package dev.sluice.backend;

import java.io.IOException;

/// All promised bytes came from the backend, and they are not the ones it says it has. Thrown at the end of a verified
/// body; nothing of it may be kept.
public final class BackendMismatch extends IOException {
    public BackendMismatch(String message) {
        super(message);
    }
}
