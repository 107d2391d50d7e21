package dev.sluice.cli.node;

import dev.sluice.common.name.NodeId;
import java.time.Duration;

/// A node that listens.
public interface RunningNode extends AutoCloseable {
    NodeId id();

    String url();

    /// Serves requests: it has the cluster's tables.
    boolean ready();

    /// Takes no new requests and gives those at work this long to finish.
    void drain(Duration longest);

    @Override
    void close();
}
