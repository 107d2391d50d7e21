/// A closed-loop HTTP load generator on Netty: every connection sends its next request when the last is answered.
@NullMarked
package dev.sluice.bench.load;

import org.jspecify.annotations.NullMarked;
