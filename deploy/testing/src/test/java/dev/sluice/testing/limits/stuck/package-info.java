/// Tests that do not end. No run includes them, for their names do not end in `Test`: `deploy/test-limits` runs each.
@NullMarked
package dev.sluice.testing.limits.stuck;

import org.jspecify.annotations.NullMarked;
