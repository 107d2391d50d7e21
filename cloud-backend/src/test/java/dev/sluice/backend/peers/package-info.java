/// Other people's servers and clients for tests, found through `deploy/peers`. Open {@link
/// dev.sluice.backend.peers.Peers} first. Shared with other modules' tests.
@NullMarked
package dev.sluice.backend.peers;

import org.jspecify.annotations.NullMarked;
