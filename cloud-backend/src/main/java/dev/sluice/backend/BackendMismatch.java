package dev.sluice.backend;

import java.io.IOException;

/// All promised bytes came, and they are not the ones their checksum stands for. Thrown at the end of a verified body;
/// nothing of it may be kept.
public final class BackendMismatch extends IOException {
    private final String says;

    public BackendMismatch(String message) {
        super(message);
        this.says = message;
    }

    public String says() {
        return says;
    }
}
