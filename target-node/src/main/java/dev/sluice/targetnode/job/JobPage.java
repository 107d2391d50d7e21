package dev.sluice.targetnode.job;

import java.util.List;
import java.util.Optional;

/// Some of a job's objects.
///
/// @param requests to the cloud that it took
/// @param next where the following page begins; empty on the last one
record JobPage(List<JobItem> items, int requests, Optional<String> next) {
    JobPage {
        items = List.copyOf(items);
    }
}
