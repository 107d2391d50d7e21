/// The samples of shards, for readers. Open first: [dev.sluice.targetnode.shard.ShardIndexes]. May depend on storage.
@NullMarked
package dev.sluice.targetnode.shard;

import org.jspecify.annotations.NullMarked;
