/// Batches of samples: any samples of any shards, as one stream in the order that was asked for. Open first:
/// [dev.sluice.common.samples.Gather]. Depends on `cluster`, `http`, `store`.
@NullMarked
package dev.sluice.common.samples;

import org.jspecify.annotations.NullMarked;
