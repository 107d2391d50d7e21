/// A seeded simulation of the replication core: virtual time, network, controllers, drives and all kinds of faults.
/// Open {@link dev.sluice.targetnode.replica.core.sim.Sim} first.
@NullMarked
package dev.sluice.targetnode.replica.core.sim;

import org.jspecify.annotations.NullMarked;
