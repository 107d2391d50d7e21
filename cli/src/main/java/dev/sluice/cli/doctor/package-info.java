/// `sluice doctor`: looks for what will go wrong, and says what to do about it. Open Doctor. May depend on api, config
/// and trust.
@NullMarked
package dev.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
