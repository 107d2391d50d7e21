/// Verified open files and small objects in memory. Open {@link dev.sluice.targetnode.storage.hotset.HotSet} first.
@NullMarked
package dev.sluice.targetnode.storage.hotset;

import org.jspecify.annotations.NullMarked;
