/// How fast jobs that read and write whole drives go, and when they wait. Open {@link
/// dev.sluice.targetnode.storage.pace.RateLimiter} first. May depend on nothing here.
@NullMarked
package dev.sluice.targetnode.storage.pace;

import org.jspecify.annotations.NullMarked;
