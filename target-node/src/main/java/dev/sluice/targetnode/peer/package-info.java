/// What this target answers to other nodes. Open {@link dev.sluice.targetnode.peer.PeerApi} first.
@NullMarked
package dev.sluice.targetnode.peer;

import org.jspecify.annotations.NullMarked;
