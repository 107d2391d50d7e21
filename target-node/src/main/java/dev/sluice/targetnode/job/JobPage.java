package dev.sluice.targetnode.job;

import java.util.List;
import java.util.Optional;

/// Some of a job's objects.
///
/// @param settled objects of this target that were found to need no step
/// @param requests to the cloud that it took
/// @param next where the following page begins; empty on the last one
record JobPage(List<JobItem> items, int settled, int requests, Optional<String> next) {
    JobPage {
        items = List.copyOf(items);
    }
}
