/// Jobs as the controller keeps them: what each does, who started it, and how it stands. Open
/// [dev.sluice.common.jobs.Job] first. May depend on names and store failures, never on the cluster's state, which
/// has them.
@NullMarked
package dev.sluice.common.jobs;

import org.jspecify.annotations.NullMarked;
