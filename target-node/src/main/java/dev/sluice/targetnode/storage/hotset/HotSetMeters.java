package dev.sluice.targetnode.storage.hotset;

import dev.sluice.common.name.NodeId;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/// What a target keeps ready to be read, in `/metrics`.
public final class HotSetMeters {
    private HotSetMeters() {}

    public static void register(HotSet hotSet, NodeId node, MeterRegistry meters) {
        Gauge.builder("sluice.hot.objects", hotSet, HotSet::objects)
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.hot.memory.bytes", hotSet, HotSet::bytes)
                .tag("node", node.value())
                .register(meters);
    }
}
