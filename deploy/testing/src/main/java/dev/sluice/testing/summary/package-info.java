/// What a run of the tests comes to, read from Surefire's reports. Open first: [TestSummary].
@NullMarked
package dev.sluice.testing.summary;

import org.jspecify.annotations.NullMarked;
