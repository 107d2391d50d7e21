/// The index of a shard, which is a tar file: where its samples and its members are. How it is made from the shard's
/// bytes, and its form on a drive. Knows no drive. Open first: [ShardIndex], [TarScan]. May depend on: the records.
@NullMarked
package dev.sluice.targetnode.storage.shards;

import org.jspecify.annotations.NullMarked;
