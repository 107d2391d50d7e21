/// One log for three servers, by Apache Ratis over calls of ours: what is committed survives the loss of any
/// one of them. No node uses it yet. Open {@link dev.sluice.targetnode.controller.raft.RatisConsensus} first;
/// why Ratis needs the rest says `docs/decisions`. Depends on Ratis, and on no other package of ours.
@NullMarked
package dev.sluice.targetnode.controller.raft;

import org.jspecify.annotations.NullMarked;
