/// The keeper of the cluster's state: until Raft comes, the target with the lowest id. Open {@link
/// dev.sluice.targetnode.controller.Controller} first; what a command does says {@link
/// dev.sluice.common.cluster.ClusterState}. Depends on the cluster's state, and of the storage on drive threads only.
@NullMarked
package dev.sluice.targetnode.controller;

import org.jspecify.annotations.NullMarked;
