/// Tests of the resilver, with drives of their own and a mover that copies index entries.
@NullMarked
package dev.sluice.targetnode.storage.resilver;

import org.jspecify.annotations.NullMarked;
