/// The actions on objects, one file each, as this target does them for the keys it is the primary of. Open {@link
/// dev.sluice.targetnode.object.ObjectRouter} first. May depend on `storage`, `coldfill`, `answer`, `bucket`, `quota`
/// and all
/// of `common` but the engine.
@NullMarked
package dev.sluice.targetnode.object;

import org.jspecify.annotations.NullMarked;
