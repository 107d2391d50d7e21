/// Commands about a cluster, its nodes and drives. Open {@link dev.sluice.cli.command.cluster.UpCommand} first. May
/// depend on `command`.
@NullMarked
package dev.sluice.cli.command.cluster;

import org.jspecify.annotations.NullMarked;
