package dev.sluice.cli.demo.live;

import dev.sluice.cli.demo.DemoClusters;
import dev.sluice.cli.demo.cloud.ShapedCloud;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.IOException;

/// Both sides of the demo, and all that has to be stopped and removed at its end.
public final class LiveClusters implements DemoClusters {
    private final ShardStore cloud;
    private final ShardStore distant;
    private final ShardStore proxy;
    private final ShapedCloud door;
    private final String description;
    private final Opened opened;

    LiveClusters(
            ShardStore cloud,
            ShardStore distant,
            ShardStore proxy,
            ShapedCloud door,
            String description,
            Opened opened) {
        this.cloud = cloud;
        this.distant = distant;
        this.proxy = proxy;
        this.door = door;
        this.description = description;
        this.opened = opened;
    }

    @Override
    public ShardStore cloud() {
        return cloud;
    }

    /// The same bucket, as far away as it is for the cluster. What goes this way is counted.
    public ShardStore distant() {
        return distant;
    }

    @Override
    public ShardStore proxy() {
        return proxy;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public Traffic traffic() {
        return door.traffic();
    }

    @Override
    public void close() throws IOException {
        opened.close();
    }
}
