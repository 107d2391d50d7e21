/// Buckets as this target sees them: whether they may be written to, and their names in the storage. Open {@link
/// dev.sluice.targetnode.bucket.BucketWriteGate} first. May depend on the cluster's state and the storage's words only.
@NullMarked
package dev.sluice.targetnode.bucket;

import org.jspecify.annotations.NullMarked;
