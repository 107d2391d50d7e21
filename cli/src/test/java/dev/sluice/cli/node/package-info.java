/// Nodes as the launcher sees them: starting, refusing to, and what they share.
@NullMarked
package dev.sluice.cli.node;

import org.jspecify.annotations.NullMarked;
