/// Calls between nodes, over real sockets.
@NullMarked
package dev.sluice.common.peer;

import org.jspecify.annotations.NullMarked;
