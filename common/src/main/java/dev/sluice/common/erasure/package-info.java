/// Erasure coding of objects: the code, and where an object's bytes lie. Only arithmetic, no files. Open first:
/// [dev.sluice.common.erasure.SliceLayout]. Depends on `checksum`.
@NullMarked
package dev.sluice.common.erasure;

import org.jspecify.annotations.NullMarked;
