package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.coldfill.RevalidationCounts;
import dev.sluice.targetnode.object.BucketReads;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What clients read of each bucket, in `/metrics`: from the first read of a bucket until it is removed.
final class BucketReadMeters {
    private final BucketReads reads;
    private final Revalidation revalidation;
    private final Tags node;
    private final MeterRegistry meters;
    private final Map<Long, List<Meter>> shown = new HashMap<>();

    BucketReadMeters(BucketReads reads, Revalidation revalidation, NodeId node, MeterRegistry meters) {
        this.reads = reads;
        this.revalidation = revalidation;
        this.node = Tags.of("node", node.value());
        this.meters = meters;
    }

    /// @param buckets that there are now
    void register(Collection<Bucket> buckets) {
        var present = buckets.stream().collect(Collectors.toMap(Bucket::id, Function.identity()));
        reads.retain(present.keySet());
        revalidation.retain(present.keySet());
        // the removed ones first: a new bucket may have the same name
        shown.entrySet().removeIf(entry -> {
            boolean gone = !present.containsKey(entry.getKey());
            if (gone) {
                entry.getValue().forEach(meters::remove);
            }
            return gone;
        });
        reads.now().forEach((id, counts) -> {
            if (present.containsKey(id)) {
                shown.computeIfAbsent(id, _ -> metersOf(present.get(id), counts));
            }
        });
    }

    private List<Meter> metersOf(Bucket bucket, BucketReads.Reads counts) {
        var registered = new ArrayList<Meter>();
        for (var result : CacheResult.values()) {
            var tags = tags(bucket, result.word());
            registered.add(FunctionCounter.builder("sluice.bucket.gets", counts, each -> each.gets(result))
                    .tags(tags)
                    .register(meters));
            registered.add(FunctionCounter.builder("sluice.bucket.get.bytes", counts, each -> each.bytes(result))
                    .tags(tags)
                    .register(meters));
        }
        if (bucket.backed()) {
            registered.addAll(comparisonsOf(bucket, revalidation.counts(bucket.id())));
        }
        return registered;
    }

    private List<FunctionCounter> comparisonsOf(Bucket bucket, RevalidationCounts counts) {
        return Arrays.stream(RevalidationCounts.Outcome.values())
                .map(outcome -> FunctionCounter.builder("sluice.bucket.revalidations", counts, each -> each.of(outcome))
                        .tags(tags(bucket, outcome.word()))
                        .register(meters))
                .toList();
    }

    private Tags tags(Bucket bucket, String result) {
        return node.and("bucket", bucket.name(), "result", result);
    }
}
