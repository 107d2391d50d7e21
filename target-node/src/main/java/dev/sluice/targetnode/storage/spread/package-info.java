/// Which drives hold a key's copies, now and lately: values without I/O. Open {@link
/// dev.sluice.targetnode.storage.spread.DriveTable} first.
@NullMarked
package dev.sluice.targetnode.storage.spread;

import org.jspecify.annotations.NullMarked;
