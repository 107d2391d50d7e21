/// What the verification of warm reads costs a target.
@NullMarked
package dev.sluice.bench.verification;

import org.jspecify.annotations.NullMarked;
