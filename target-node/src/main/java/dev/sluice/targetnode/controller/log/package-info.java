/// The log of the cluster's changes: by Raft among three controllers, in files on the drives of a lone one. Open {@link
/// dev.sluice.targetnode.controller.log.Consensus} first. May depend on `raft` and `files`.
@NullMarked
package dev.sluice.targetnode.controller.log;

import org.jspecify.annotations.NullMarked;
