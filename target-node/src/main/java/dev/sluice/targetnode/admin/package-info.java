/// What a target answers: it leads requests on objects to `object`, and does what other nodes ask of its buckets and
/// drives. Open {@link dev.sluice.targetnode.admin.TargetHandlers} first. May depend on all rooms of a target but the
/// controller's and the replicas'.
@NullMarked
package dev.sluice.targetnode.admin;

import org.jspecify.annotations.NullMarked;
