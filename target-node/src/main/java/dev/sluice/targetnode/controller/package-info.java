/// The keeper of the cluster's state: until Raft comes, the target with the lowest id. Open {@link
/// dev.sluice.targetnode.controller.Controller} first.
@NullMarked
package dev.sluice.targetnode.controller;

import org.jspecify.annotations.NullMarked;
