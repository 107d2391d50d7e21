/// How much buckets may take on the cluster's drives, and what follows from it. Open {@link
/// dev.sluice.targetnode.quota.Quotas} first. May depend on the cluster's state, calls between nodes and the storage.
@NullMarked
package dev.sluice.targetnode.quota;

import org.jspecify.annotations.NullMarked;
