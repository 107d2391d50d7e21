/// Clusters as processes, clients as programs, and a network between them that can be watched and broken. Open {@link
/// dev.sluice.deploy.harness.SluiceCluster} first.
@NullMarked
package dev.sluice.deploy.harness;

import org.jspecify.annotations.NullMarked;
