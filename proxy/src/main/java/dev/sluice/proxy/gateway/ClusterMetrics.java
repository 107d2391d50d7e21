package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerHealth;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// The cluster as a node knows it, as gauges: what `/health` and `/health/cluster` say, for alerts. NaN while it
/// knows nothing.
public final class ClusterMetrics {
    private final MeterRegistry registry;
    private final Tags tags;

    /// @param version of what the node runs, and the commit
    public ClusterMetrics(MeterRegistry registry, NodeId self, String version) {
        this.registry = registry;
        this.tags = Tags.of("node", self.value());
        Gauge.builder("sluice.build", () -> 1)
                .description("1: what the node runs")
                .tags(tags.and("version", version))
                .register(registry);
    }

    /// Both of the newest state that the node knows; they say Unavailable while it knows none, and never block.
    ///
    /// @param muted targets of which most others hear nothing
    public void state(Supplier<SlotCounts> slots, Supplier<Set<NodeId>> muted) {
        slots("full", slots, SlotCounts::full);
        slots("degraded", slots, SlotCounts::degraded);
        slots("unopened", slots, SlotCounts::unopened);
        for (int losses = 0; losses < Group.MOST_REPLICAS; losses++) {
            int survived = losses;
            gauge("sluice.slots.surviving", slots, counts -> counts.protection().surviving(survived))
                    .description("served slots of replicated buckets by how many targets more they can lose")
                    .tags(tags.and("losses", Integer.toString(losses)))
                    .register(registry);
        }
        gauge("sluice.slots.zonal", slots, counts -> counts.protection().zonal())
                .description("served slots that are readable after the loss of any one zone")
                .tags(tags)
                .register(registry);
        gauge(
                        "sluice.slots.replicas.missing",
                        slots,
                        counts -> counts.protection().missing())
                .description("replicas that slots are to have, and have not in-sync")
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.targets.muted", () -> known(() -> muted.get().size()))
                .description("targets that most others do not hear")
                .tags(tags)
                .register(registry);
    }

    private void slots(String state, Supplier<SlotCounts> slots, ToLongFunction<SlotCounts> count) {
        gauge("sluice.slots", slots, count)
                .description("slots of replicated buckets")
                .tags(tags.and("state", state))
                .register(registry);
    }

    private static Gauge.Builder<?> gauge(String name, Supplier<SlotCounts> slots, ToLongFunction<SlotCounts> count) {
        return Gauge.builder(name, () -> known(() -> count.applyAsLong(slots.get())));
    }

    /// @param health of the node as a controller. Must not block
    public void controller(Supplier<ControllerHealth> health) {
        Gauge.builder("sluice.controller.leads", () -> health.get().leads() ? 1 : 0)
                .description("1 while it leads the controllers")
                .tags(tags)
                .register(registry);
        Gauge.builder("sluice.controller.out", () -> health.get().reason().isEmpty() ? 0 : 1)
                .description("1 while it takes no part as a controller")
                .tags(tags)
                .register(registry);
    }

    private static double known(Supplier<? extends Number> figure) {
        try {
            return figure.get().doubleValue();
        } catch (StoreException.Unavailable notYet) {
            return Double.NaN;
        }
    }
}
