package dev.sluice.common.http.engine;

import java.time.Duration;

/// Told of every answered request, on a thread of its own, one at a time. May block; when it falls far behind, entries
/// are dropped and counted.
@FunctionalInterface
public interface AccessLog {
    AccessLog NONE = new AccessLog() {
        @Override
        public void answered(Entry entry) {}

        @Override
        public boolean wanted() {
            return false;
        }
    };

    void answered(Entry entry);

    /// No entry waits now, or none comes any more: what is buffered is to be written.
    default void flush() {}

    /// False spares the engine making entries at all.
    default boolean wanted() {
        return true;
    }

    /// @param endedMillis when, since 1970
    /// @param status 0 when the client was gone before an answer was begun
    /// @param complete false when the connection broke before the whole answer was sent
    record Entry(
            long endedMillis,
            String requestId,
            String remote,
            String method,
            String path,
            String query,
            int status,
            long bytesIn,
            long bytesOut,
            Duration took,
            boolean complete) {}
}
