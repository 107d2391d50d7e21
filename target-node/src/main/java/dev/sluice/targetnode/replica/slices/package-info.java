/// Reads slices of objects from the drives that have them, and makes of some of them the others.
@NullMarked
package dev.sluice.targetnode.replica.slices;

import org.jspecify.annotations.NullMarked;
