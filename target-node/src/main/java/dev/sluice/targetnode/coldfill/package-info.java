/// Objects that are not here yet: one fetch from the cloud, streamed to everyone who waits while it is stored. Open
/// {@link dev.sluice.targetnode.coldfill.ColdFill} first.
@NullMarked
package dev.sluice.targetnode.coldfill;

import org.jspecify.annotations.NullMarked;
