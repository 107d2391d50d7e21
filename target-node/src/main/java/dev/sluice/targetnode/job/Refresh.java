package dev.sluice.targetnode.job;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendPage;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.storage.listing.ListEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares what is cached here with the cloud's list, and brings what differs: one request confirms it, then the
/// cached object is dropped, and fetched again where the cloud has another version and there is room. An object that
/// a client writes meanwhile stays.
final class Refresh implements JobWork {
    private static final Logger LOG = LoggerFactory.getLogger(Refresh.class);

    private final JobSpec spec;
    private final JobTools tools;
    private final AtomicBoolean compared = new AtomicBoolean();
    private final Selection selection;

    Refresh(JobSpec spec, JobTools tools) {
        this.spec = spec;
        this.tools = tools;
        Selection objects = spec.template().isPresent() || spec.list().isPresent()
                ? Selection.stored(spec, tools.store())
                : this::differences;
        this.selection = from -> {
            if (from.isEmpty() && !spec.dryRun() && compared.compareAndSet(false, true)) {
                tools.coldFill().compareFills(tools.bucket(spec), spec.prefix()); // they are in no list yet
            }
            return objects.page(from);
        };
    }

    @Override
    public Selection selection() {
        return selection;
    }

    /// The selection has nothing else.
    @Override
    public boolean isHere(String key) {
        return true;
    }

    @Override
    public int connections(JobItem object) {
        return tools.coldFill().connections(object.size());
    }

    /// One page of the cloud's list beside the cached objects of the same stretch of keys: each of these is what the
    /// cloud has, or differs. A page that the cloud does not give says nothing of any.
    private JobPage differences(String from) {
        var bucket = tools.bucket(spec);
        long askedMillis = tools.revalidation().now();
        var backend = tools.backends().of(bucket);
        boolean namesVersions = backend.address().provider() == BackendAddress.Provider.S3; // GCS has generations
        var there = backend.list(spec.prefix(), "", from, Selection.PAGE);
        var here = tools.store().list(bucket.id(), spec.prefix(), from, Selection.PAGE);
        var listed = there.entries().stream()
                .collect(Collectors.toMap(BackendPage.Entry::key, Function.identity(), (_, last) -> last));
        var end = end(there, here);
        var differing = new ArrayList<JobItem>();
        int same = 0;
        boolean more = here.size() == Selection.PAGE;
        for (var cached : here) {
            if (end.isPresent() && KeyOrder.INSTANCE.compare(cached.key(), end.get()) > 0) {
                more = true;
                break;
            }
            var now = Optional.ofNullable(listed.get(cached.key()));
            if (now.map(BackendPage.Entry::etag).equals(Optional.of(cached.etag()))) {
                if (namesVersions) {
                    tools.store().agreed(BucketRefs.of(bucket), cached.key(), cached.version(), askedMillis);
                }
                same++;
            } else {
                long size = now.map(BackendPage.Entry::size).orElse(0L);
                differing.add(new JobItem(cached.key(), size, Optional.empty()));
            }
        }
        return new JobPage(differing, same, 1, more ? end : Optional.empty());
    }

    /// Up to where both pages say all there is; empty for the end of the bucket.
    private static Optional<String> end(BackendPage there, List<ListEntry> here) {
        var cached = here.size() < Selection.PAGE
                ? Optional.<String>empty()
                : Optional.of(here.getLast().key());
        return there.next()
                .map(next -> cached.filter(last -> KeyOrder.INSTANCE.compare(last, next) < 0)
                        .orElse(next))
                .or(() -> cached);
    }

    @Override
    public StepResult step(JobItem object) throws InterruptedException {
        var bucket = tools.bucket(spec);
        var stored = tools.stored(bucket, object.key());
        if (stored.isEmpty()) {
            return StepResult.skipped(0);
        }
        long askedMillis = tools.revalidation().now();
        var there = tools.revalidation().inCloud(bucket, object.key());
        if (there.filter(now -> Revalidation.isSame(now, stored.get())).isPresent()) {
            tools.store()
                    .agreed(BucketRefs.of(bucket), object.key(), stored.get().version(), askedMillis);
            return StepResult.skipped(1);
        }
        if (spec.dryRun()) {
            return StepResult.done(there.map(BackendObject::size).orElse(0L), there.isPresent() ? 1 : 2);
        }
        if (!tools.revalidation().drop(bucket, stored.get())) {
            return StepResult.skipped(1); // a client has written it
        }
        if (there.isEmpty()) {
            return StepResult.done(0, 2); // twice: that it is not there was confirmed
        }
        return StepResult.done(fetched(bucket, there.get()), 2);
    }

    /// What is outdated was dropped. That its successor is not here is no failure: a read fetches it.
    ///
    /// @return bytes
    private long fetched(Bucket bucket, BackendObject object) throws InterruptedException {
        if (!tools.isPrimary(bucket, object.key())) {
            return 0;
        }
        try (var _ = tools.room(bucket, object.key(), object.size())) {
            return tools.coldFill().store(bucket, object.key()) ? object.size() : 0;
        } catch (JobEnded | StoreException later) {
            LOG.debug("{}/{} is not fetched again: {}", spec.bucket(), object.key(), later.getMessage());
            return 0;
        }
    }
}
