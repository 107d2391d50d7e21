/// Processes of the operating system: who they are beyond a number, and how to stop them.
@NullMarked
package dev.sluice.cli.process;

import org.jspecify.annotations.NullMarked;
