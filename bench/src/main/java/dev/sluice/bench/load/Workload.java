package dev.sluice.bench.load;

import java.util.Optional;

/// Decides what is sent. Each connection has a session of its own, used by one thread at a time; what sessions share
/// must be safe for many.
public interface Workload {
    Session session(int connection);

    /// The requests of one connection, one after the other.
    interface Session {
        /// The next request; empty when this connection has nothing more to do.
        Optional<Step> next();

        /// Told of every complete page of a listing. Returns how many keys it had.
        default int listed(String page) {
            return 0;
        }
    }
}
