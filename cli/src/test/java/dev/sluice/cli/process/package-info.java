/// Tests of dev.sluice.cli.process.
@NullMarked
package dev.sluice.cli.process;

import org.jspecify.annotations.NullMarked;
