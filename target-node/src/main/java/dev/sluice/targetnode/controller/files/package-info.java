/// A lone controller's state, in a file on each of its drives. Open {@link
/// dev.sluice.targetnode.controller.files.StateFiles} first. Depends on the cluster's state, and of the storage on
/// drive threads only.
@NullMarked
package dev.sluice.targetnode.controller.files;

import org.jspecify.annotations.NullMarked;
