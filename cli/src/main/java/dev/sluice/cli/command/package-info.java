/// What commands share: options, output, the wait for what takes long. The commands are one class each in the packages
/// below; {@link dev.sluice.cli.Commands} lists them.
@NullMarked
package dev.sluice.cli.command;

import org.jspecify.annotations.NullMarked;
