package dev.sluice.cli.node;

import dev.sluice.cli.config.NodeConfig;

/// The one place that says what makes this build's nodes.
public final class Nodes {
    private Nodes() {}

    public static NodeFactory factory() {
        return new NodeFactory() {
            @Override
            public SharedRuntime share(NodeConfig first) {
                return () -> {};
            }

            @Override
            public RunningNode start(NodeConfig config, SharedRuntime shared) throws StartRefused {
                throw new StartRefused("this build has no nodes yet");
            }
        };
    }
}
