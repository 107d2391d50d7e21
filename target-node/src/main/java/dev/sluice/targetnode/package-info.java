/// Sluice's targetnode.
@NullMarked
package dev.sluice.targetnode;

import org.jspecify.annotations.NullMarked;
