/// The seam between the launcher and the nodes it runs, and the process that hosts them. Open NodeFactory first.
@NullMarked
package dev.sluice.cli.node;

import org.jspecify.annotations.NullMarked;
