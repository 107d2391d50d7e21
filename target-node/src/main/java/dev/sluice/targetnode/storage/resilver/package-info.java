/// Moves objects to where they belong after the drives of a target have changed. Open {@link
/// dev.sluice.targetnode.storage.resilver.Resilver} first. May depend on the drive and its index, the spread, the pace
/// of jobs and the scrub's known buckets; how one key is moved, and what settles a table, is behind its interfaces.
@NullMarked
package dev.sluice.targetnode.storage.resilver;

import org.jspecify.annotations.NullMarked;
