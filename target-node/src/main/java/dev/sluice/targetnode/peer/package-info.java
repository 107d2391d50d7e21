/// What this target answers to other nodes: the far end of the proxy's `RemoteTarget` and of `RemoteControlPlane`.
/// Open {@link dev.sluice.targetnode.peer.PeerApi} first. Depends on `common` only.
@NullMarked
package dev.sluice.targetnode.peer;

import org.jspecify.annotations.NullMarked;
