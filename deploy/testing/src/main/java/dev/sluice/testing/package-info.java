/// What the tests of all modules share. Open first: [TestWatchdog][dev.sluice.testing.limits.TestWatchdog]. Depends on
/// JUnit only.
@NullMarked
package dev.sluice.testing;

import org.jspecify.annotations.NullMarked;
