package dev.sluice.cli.node;

import dev.sluice.cli.config.NodeConfig;
import dev.sluice.common.http.engine.CannotListenException;
import dev.sluice.targetnode.storage.attach.DriveRefusedException;
import java.io.IOException;

/// The one place that says what makes this build's nodes.
public final class Nodes {
    private Nodes() {}

    public static NodeFactory factory() {
        return new NodeFactory() {
            @Override
            public SharedRuntime share(NodeConfig first) {
                return new JvmRuntime(first);
            }

            @Override
            public RunningNode start(NodeConfig config, SharedRuntime shared) throws StartRefused {
                try {
                    return ComposedNode.start(config, (JvmRuntime) shared);
                } catch (DriveRefusedException e) {
                    throw StartRefused.forGood(config.node().id() + ": " + e.getMessage());
                } catch (CannotListenException e) {
                    throw new StartRefused(config.node().id() + ": " + e.getMessage(), e);
                } catch (IOException e) {
                    throw new StartRefused(config.node().id() + " cannot start: " + e.getMessage(), e);
                }
            }
        };
    }
}
