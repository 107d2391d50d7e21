/// What is free on a drive, when copies are to go, and when each was last used. Open {@link
/// dev.sluice.targetnode.storage.space.FreeSpace} first.
@NullMarked
package dev.sluice.targetnode.storage.space;

import org.jspecify.annotations.NullMarked;
