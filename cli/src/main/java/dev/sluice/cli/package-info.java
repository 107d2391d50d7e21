/// The entry point of the `sluice` command. What it can do is in `command`.
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
