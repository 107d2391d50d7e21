package dev.sluice.cli.demo.live;

import dev.sluice.cli.demo.DemoClusters;
import dev.sluice.cli.demo.cloud.ShapedCloud;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.IOException;

/// Both sides of the demo, and all that has to be stopped and removed at its end.
record LiveClusters(ShardStore cloud, ShardStore proxy, ShapedCloud door, String description, Opened opened)
        implements DemoClusters {
    @Override
    public Traffic traffic() {
        return door.traffic();
    }

    @Override
    public void close() throws IOException {
        opened.close();
    }
}
