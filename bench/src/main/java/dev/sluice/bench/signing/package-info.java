/// AWS signature version 4 as a client makes it.
@NullMarked
package dev.sluice.bench.signing;

import org.jspecify.annotations.NullMarked;
