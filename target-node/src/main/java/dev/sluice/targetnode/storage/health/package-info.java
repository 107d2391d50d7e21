/// Whether a drive is fit for use: its state, the probes that decide it, and how it goes out and comes back. Open
/// {@link dev.sluice.targetnode.storage.health.DriveSlot} first, then
/// {@link dev.sluice.targetnode.storage.health.DriveWatch}.
@NullMarked
package dev.sluice.targetnode.storage.health;

import org.jspecify.annotations.NullMarked;
