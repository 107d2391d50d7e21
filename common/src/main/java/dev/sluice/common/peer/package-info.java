/// Calls from node to node: what a target does for the others, and how one node asks another. Open {@link
/// dev.sluice.common.peer.TargetService} first. Depends on `auth`, `cluster`, `http` and the S3 records.
@NullMarked
package dev.sluice.common.peer;

import org.jspecify.annotations.NullMarked;
