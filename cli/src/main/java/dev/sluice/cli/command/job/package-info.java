/// Commands about work that targets do for long: jobs, scrubs, resilvers. Open {@link
/// dev.sluice.cli.command.job.JobCommand} first. May depend on `command`.
@NullMarked
package dev.sluice.cli.command.job;

import org.jspecify.annotations.NullMarked;
