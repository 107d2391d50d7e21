/// `sluice bench`: what to measure, and how the result is told. Open `BenchCommand` first.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
