package dev.sluice.common.samples;

import dev.sluice.common.cluster.Node;
import java.util.Optional;

/// The targets of a cluster, as far as samples are concerned.
public interface SampleTargets {
    /// Who has a shard by the newest map. Never blocks.
    ///
    /// @return empty while that is not known
    Optional<Node> primary(SampleBatch.Shard shard);

    /// Opens a stream of one target's samples. Blocks.
    ///
    /// @throws dev.sluice.common.store.StoreException.Unavailable when it does not answer
    SampleStream samples(Node target, SampleBatch batch);
}
