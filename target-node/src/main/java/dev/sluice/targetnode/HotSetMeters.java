package dev.sluice.targetnode;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.storage.hotset.HotSet;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/// What a target keeps ready to be read, in `/metrics`.
final class HotSetMeters {
    private HotSetMeters() {}

    static void register(HotSet hotSet, NodeId node, MeterRegistry meters) {
        Gauge.builder("sluice.hot.objects", hotSet, HotSet::objects)
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.hot.memory.bytes", hotSet, HotSet::bytes)
                .tag("node", node.value())
                .register(meters);
    }
}
