package dev.sluice.targetnode.job;

import dev.sluice.backend.Backend;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.NameTemplate;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/// The objects of a job, page by page, in the same order each time.
interface Selection {
    int PAGE = 1000;

    /// Blocks.
    ///
    /// @param from where the page begins, as the page before says; empty for the first one
    JobPage page(String from);

    /// @param backend the bucket's, as it is now
    static Selection of(JobSpec spec, Supplier<Backend> backend) {
        return spec.template()
                .map(NameTemplate::of)
                .<Selection>map(template -> from -> named(template, from.isEmpty() ? 0 : Long.parseLong(from)))
                .orElse(from -> listed(backend.get(), spec.prefix(), from));
    }

    private static JobPage listed(Backend backend, String prefix, String after) {
        var page = backend.list(prefix, "", after, PAGE);
        var items = page.entries().stream()
                .map(entry -> new JobItem(entry.key(), entry.size(), Optional.of(entry.etag())))
                .toList();
        return new JobPage(items, 1, page.next());
    }

    private static JobPage named(NameTemplate template, long first) {
        long end = Math.min(template.size(), first + PAGE);
        var items = LongStream.range(first, end)
                .mapToObj(template::name)
                .map(JobItem::named)
                .toList();
        return new JobPage(items, 0, end < template.size() ? Optional.of(Long.toString(end)) : Optional.empty());
    }
}
