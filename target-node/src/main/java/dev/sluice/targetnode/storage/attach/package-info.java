/// Which drives belong to a target: identity, lock, probe, the recorded set. Open {@link
/// dev.sluice.targetnode.storage.attach.DriveSet} first.
@NullMarked
package dev.sluice.targetnode.storage.attach;

import org.jspecify.annotations.NullMarked;
