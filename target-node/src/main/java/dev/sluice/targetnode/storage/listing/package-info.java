/// Lists keys by merging the indexes of drives. Open {@link dev.sluice.targetnode.storage.listing.Listing} first.
@NullMarked
package dev.sluice.targetnode.storage.listing;

import org.jspecify.annotations.NullMarked;
