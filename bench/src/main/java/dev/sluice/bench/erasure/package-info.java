/// How fast the erasure code is. Open first: [dev.sluice.bench.erasure.CodeRates].
@NullMarked
package dev.sluice.bench.erasure;

import org.jspecify.annotations.NullMarked;
