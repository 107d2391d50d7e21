/// Sluice's cli.
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
