package dev.sluice.targetnode.job;

import dev.sluice.backend.Backend;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.jobs.NameList;
import dev.sluice.common.jobs.NameTemplate;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.listing.ListEntry;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// The objects of a job, page by page, in the same order each time.
interface Selection {
    int PAGE = 1000;

    /// Blocks.
    ///
    /// @param from where the page begins, as the page before says; empty for the first one
    JobPage page(String from);

    /// What the cloud has.
    ///
    /// @param backend the bucket's, as it is now
    static Selection cloud(JobSpec spec, Supplier<Backend> backend) {
        return names(spec)
                .<Selection>map(names ->
                        from -> names.page(from, name -> Stream.of(new JobItem(name, 0, Optional.empty()))))
                .orElse(from -> listed(backend.get(), spec.prefix(), from));
    }

    /// What is stored here.
    static Selection stored(JobSpec spec, ObjectStore store) {
        return names(spec)
                .<Selection>map(names -> from -> names.page(
                        from,
                        name -> store.list(spec.bucketId(), new ListQuery(name, "", "", 1)).stream()
                                .filter(entry -> entry.key().equals(name))
                                .map(Selection::item)))
                .orElse(from -> listed(store, spec, from));
    }

    /// The objects that this target answers for.
    static Selection served(JobSpec spec, SlotWriter writer) {
        return names(spec)
                .<Selection>map(names ->
                        from -> names.page(from, name -> Stream.of(new JobItem(name, 0, Optional.empty()))))
                .orElse(after -> {
                    var from = after.isEmpty() ? "" : KeyOrder.justAfter(after);
                    var query = new ListQuery(spec.prefix(), "", from, PAGE);
                    return page(writer.list(spec.bucketId(), query).entries());
                });
    }

    private static Optional<Names> names(JobSpec spec) {
        return spec.list()
                .map(NameList::names)
                .map(names -> new Names(names.size(), at -> names.get((int) at)))
                .or(() -> spec.template()
                        .map(NameTemplate::of)
                        .map(template -> new Names(template.size(), template::name)));
    }

    private static JobPage listed(Backend backend, String prefix, String after) {
        var page = backend.list(prefix, "", after, PAGE);
        var items = page.entries().stream()
                .map(entry -> new JobItem(entry.key(), entry.size(), Optional.of(entry.etag())))
                .toList();
        return new JobPage(items, 0, 1, page.next());
    }

    private static JobPage listed(ObjectStore store, JobSpec spec, String after) {
        return page(store.list(spec.bucketId(), spec.prefix(), after, PAGE));
    }

    private static JobPage page(List<ListEntry> page) {
        return new JobPage(
                page.stream().map(Selection::item).toList(),
                0,
                0,
                page.size() < PAGE
                        ? Optional.empty()
                        : Optional.of(page.getLast().key()));
    }

    private static JobItem item(ListEntry entry) {
        return new JobItem(entry.key(), entry.size(), Optional.of(entry.etag()));
    }

    /// Keys that a job names.
    record Names(long size, LongFunction<String> name) {
        JobPage page(String from, Lookup lookup) {
            long first = from.isEmpty() ? 0 : Long.parseLong(from);
            long end = Math.min(size, first + PAGE);
            var items = LongStream.range(first, end)
                    .mapToObj(name)
                    .flatMap(lookup::of)
                    .toList();
            return new JobPage(items, 0, 0, end < size ? Optional.of(Long.toString(end)) : Optional.empty());
        }
    }

    /// What there is of a name.
    interface Lookup {
        Stream<JobItem> of(String name);
    }
}
