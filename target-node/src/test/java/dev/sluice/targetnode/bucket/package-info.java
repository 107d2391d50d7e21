/// Buckets that are going, going, gone.
@NullMarked
package dev.sluice.targetnode.bucket;

import org.jspecify.annotations.NullMarked;
