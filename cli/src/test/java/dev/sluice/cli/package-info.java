/// Tests of the command line, with real processes around a node of a few lines.
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
