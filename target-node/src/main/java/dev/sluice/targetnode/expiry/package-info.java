/// Deletes objects that have expired. Open {@link dev.sluice.targetnode.expiry.Expirations} first.
@NullMarked
package dev.sluice.targetnode.expiry;

import org.jspecify.annotations.NullMarked;
