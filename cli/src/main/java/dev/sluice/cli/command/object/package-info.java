/// Commands about objects and buckets. Open {@link dev.sluice.cli.command.object.ObjectCommands} first. May depend
/// on `command`.
@NullMarked
package dev.sluice.cli.command.object;

import org.jspecify.annotations.NullMarked;
