package dev.sluice.targetnode.bucket;

import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.store.StoreException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Drops what this target still has of buckets that were deleted while it could not be told. Only what the cluster's
/// state names as removed goes, never what is merely unknown. For one thread.
public final class RemovedBuckets {
    private static final Logger LOG = LoggerFactory.getLogger(RemovedBuckets.class);

    private final ControlPlane control;
    private final Drop here;
    private final Set<Long> done = new HashSet<>();

    /// Forgets all this target has of a bucket.
    public interface Drop {
        void drop(long bucketId, String name);
    }

    public RemovedBuckets(ControlPlane control, Drop here) {
        this.control = control;
        this.here = here;
    }

    /// To be called again and again: what does not work now is left for the next time.
    public void drop() {
        try {
            control.current().buckets().removed().forEach((name, id) -> {
                if (!done.contains(id)) {
                    here.drop(id, name);
                    done.add(id);
                }
            });
        } catch (StoreException e) {
            LOG.debug("buckets that were deleted are dropped later: {}", e.getMessage());
        }
    }
}
