/// Jobs on this target: each works on its keys, in most jobs those that this target is the primary of. Open
/// {@link dev.sluice.targetnode.job.Jobs} first (which run), then `JobRun` (one of them) and `Prefetch` and `Evict`
/// (what they do with an object). May depend on `coldfill`, `bucket`, `quota` and `storage`.
@NullMarked
package dev.sluice.targetnode.job;

import org.jspecify.annotations.NullMarked;
