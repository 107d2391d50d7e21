/// Jobs on this target: each works on the keys that this target is the primary of. Open
/// {@link dev.sluice.targetnode.job.Jobs} first (which run), then `JobRun` (one of them) and `Prefetch` (what it does
/// with an object). May depend on `coldfill`, `bucket`, `quota` and `storage`.
@NullMarked
package dev.sluice.targetnode.job;

import org.jspecify.annotations.NullMarked;
