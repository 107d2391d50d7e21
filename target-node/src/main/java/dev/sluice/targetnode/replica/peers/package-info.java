/// The other targets that keep replicas, as the rest of replication reaches them.
@NullMarked
package dev.sluice.targetnode.replica.peers;

import org.jspecify.annotations.NullMarked;
