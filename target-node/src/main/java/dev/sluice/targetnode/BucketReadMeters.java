package dev.sluice.targetnode;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.answer.CacheResult;
import dev.sluice.targetnode.object.BucketReads;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// What clients read of each bucket, in `/metrics`: from the first read of a bucket until it is removed.
final class BucketReadMeters {
    private final BucketReads reads;
    private final Tags node;
    private final MeterRegistry meters;
    private final Map<Long, List<Meter>> shown = new HashMap<>();

    BucketReadMeters(BucketReads reads, NodeId node, MeterRegistry meters) {
        this.reads = reads;
        this.node = Tags.of("node", node.value());
        this.meters = meters;
    }

    /// @param buckets that there are now
    void register(Collection<Bucket> buckets) {
        var names = buckets.stream().collect(Collectors.toMap(Bucket::id, Bucket::name));
        reads.retain(names.keySet());
        // the removed ones first: a new bucket may have the same name
        shown.entrySet().removeIf(entry -> {
            boolean gone = !names.containsKey(entry.getKey());
            if (gone) {
                entry.getValue().forEach(meters::remove);
            }
            return gone;
        });
        reads.now().forEach((id, counts) -> {
            if (names.containsKey(id)) {
                shown.computeIfAbsent(id, _ -> metersOf(names.get(id), counts));
            }
        });
    }

    private List<Meter> metersOf(String bucket, BucketReads.Reads counts) {
        var registered = new ArrayList<Meter>();
        for (var result : CacheResult.values()) {
            var tags = node.and("bucket", bucket, "result", result.word());
            registered.add(FunctionCounter.builder("sluice.bucket.gets", counts, each -> each.gets(result))
                    .tags(tags)
                    .register(meters));
            registered.add(FunctionCounter.builder("sluice.bucket.get.bytes", counts, each -> each.bytes(result))
                    .tags(tags)
                    .register(meters));
        }
        return registered;
    }
}
