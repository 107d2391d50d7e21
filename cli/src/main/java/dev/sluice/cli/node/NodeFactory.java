package dev.sluice.cli.node;

import dev.sluice.cli.config.NodeConfig;

/// Starts one node in this JVM; the launcher owns its life.
public interface NodeFactory {
    /// Made once per JVM; sizes come from the first of its nodes.
    SharedRuntime share(NodeConfig first);

    /// Returns when the node listens; it may become ready later.
    RunningNode start(NodeConfig config, SharedRuntime shared) throws StartRefused;
}
