package dev.sluice.cli.demo;

import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.ShardStore;
import java.io.IOException;
import java.util.function.Consumer;

/// The two sides of the demo, running: a cloud far away, and a cluster whose bucket is filled from it.
public interface DemoClusters extends AutoCloseable {
    /// The bucket in the cloud, reached directly: for putting the data set there. Not counted.
    ShardStore cloud();

    /// The same bucket through the proxy: what training reads. Made by `createBucket` after the cloud's.
    ShardStore proxy();

    /// What the cluster has asked of the cloud so far.
    Traffic traffic();

    /// In a few words, for the report: what the cloud is and how far away.
    String description();

    @Override
    void close() throws IOException;

    /// Starts both, telling its progress in short lines.
    interface Starter {
        DemoClusters start(DemoOptions options, Consumer<String> progress) throws IOException;
    }
}
