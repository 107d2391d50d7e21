/// The commands and what they are given.
@NullMarked
package dev.sluice.cli.command;

import org.jspecify.annotations.NullMarked;
