/// Makes room on a drive by deleting copies whose objects the cloud has too. Open {@link
/// dev.sluice.targetnode.storage.eviction.Evictor} first.
@NullMarked
package dev.sluice.targetnode.storage.eviction;

import org.jspecify.annotations.NullMarked;
