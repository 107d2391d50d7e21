package dev.sluice.targetnode.admin;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.Revalidation;
import dev.sluice.targetnode.object.BucketReads;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.BucketBytes;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What each bucket shows in `/metrics`: how much it takes on this target's drives, its quota
/// in the cluster, and what was read of it.
public final class BucketMeters {
    private static final Logger LOG = LoggerFactory.getLogger(BucketMeters.class);

    private final BucketBytes bytes;
    private final ClusterViews views;
    private final BucketReadMeters reads;
    private final MultiGauge objects;
    private final MultiGauge taken;
    private final MultiGauge uploading;
    private final MultiGauge limits;
    private final MultiGauge missing;

    public BucketMeters(
            BucketBytes bytes,
            BucketReads reads,
            Revalidation revalidation,
            Quotas quotas,
            ClusterViews views,
            NodeId node,
            MeterRegistry meters) {
        this.bytes = bytes;
        this.views = views;
        this.reads = new BucketReadMeters(reads, revalidation, node, meters);
        var tags = Tags.of("node", node.value());
        this.objects = MultiGauge.builder("sluice.bucket.objects").tags(tags).register(meters);
        this.taken = MultiGauge.builder("sluice.bucket.bytes").tags(tags).register(meters);
        this.uploading =
                MultiGauge.builder("sluice.bucket.uploading.bytes").tags(tags).register(meters);
        this.limits = MultiGauge.builder("sluice.bucket.quota.bytes").tags(tags).register(meters);
        this.missing =
                MultiGauge.builder("sluice.bucket.missing.bytes").tags(tags).register(meters);
        FunctionCounter.builder("sluice.quota.refusals", quotas, Quotas::refused)
                .tags(tags)
                .register(meters);
    }

    /// Buckets come and go: to be called now and then.
    public void register() {
        try {
            var buckets = views.current().state().buckets().buckets().values();
            reads.register(buckets);
            var replicated = buckets.stream().filter(Bucket::replicated).toList();
            var limited = buckets.stream()
                    .filter(bucket -> bucket.properties().quota().isPresent())
                    .toList();
            objects.register(rows(buckets, bucket -> bytes.of(bucket.id()).objects()), true);
            taken.register(rows(buckets, bucket -> bytes.of(bucket.id()).bytes()), true);
            uploading.register(rows(buckets, bucket -> bytes.of(bucket.id()).uploading()), true);
            missing.register(rows(replicated, this::missing), true);
            limits.register(rows(limited, bucket -> bucket.properties().quota().orElseThrow()), true);
        } catch (StoreException e) {
            LOG.debug("buckets are shown in the metrics later: {}", e.getMessage());
        }
    }

    /// This target's part of the bytes that repair is to copy, about: as if all slots had as many.
    private double missing(Bucket bucket) {
        var slots = views.current().slotCounts().getOrDefault(bucket.group(), SlotCounts.NONE);
        return bytes.of(bucket.id()).bytes() * slots.protection().missingShare();
    }

    private static List<MultiGauge.Row<?>> rows(Collection<Bucket> buckets, ToDoubleFunction<Bucket> value) {
        return buckets.stream()
                .<MultiGauge.Row<?>>map(bucket -> MultiGauge.Row.of(Tags.of("bucket", bucket.name()), bucket, value))
                .toList();
    }
}
