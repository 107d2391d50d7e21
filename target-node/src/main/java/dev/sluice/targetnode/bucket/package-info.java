/// Buckets as this target sees them: whether they may be written to, and their names in the storage.
@NullMarked
package dev.sluice.targetnode.bucket;

import org.jspecify.annotations.NullMarked;
