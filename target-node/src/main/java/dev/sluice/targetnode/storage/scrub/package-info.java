/// Reads everything a drive holds and compares it with what is known of it. Open {@link
/// dev.sluice.targetnode.storage.scrub.Scrubber} first. May depend on the drive, its files and index, the records, and
/// how a key is changed; the store and the clouds are behind its interfaces.
@NullMarked
package dev.sluice.targetnode.storage.scrub;

import org.jspecify.annotations.NullMarked;
