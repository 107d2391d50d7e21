/// The commands of sluice, one class each. Open Commands first: the list of all of them.
@NullMarked
package dev.sluice.cli.command;

import org.jspecify.annotations.NullMarked;
