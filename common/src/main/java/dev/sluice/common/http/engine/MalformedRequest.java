package dev.sluice.common.http.engine;

/// A request that cannot be understood, and the status that says so.
final class MalformedRequest extends Exception {
    private final int status;

    MalformedRequest(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
