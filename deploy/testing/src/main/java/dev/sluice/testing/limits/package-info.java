/// Ends tests that do not end by themselves, and what they leave running. Open first: [TestWatchdog].
@NullMarked
package dev.sluice.testing.limits;

import org.jspecify.annotations.NullMarked;
