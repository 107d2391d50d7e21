/// Cloud buckets behind one interface. Open {@link dev.sluice.backend.Backend} first, then {@link
/// dev.sluice.backend.clouds.Backends}. May depend on `common` only; each cloud's SDK is seen in its own package alone.
@NullMarked
package dev.sluice.backend;

import org.jspecify.annotations.NullMarked;
