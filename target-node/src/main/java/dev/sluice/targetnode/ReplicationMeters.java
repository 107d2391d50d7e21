package dev.sluice.targetnode;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.Replicator;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/// What an operator sees of a target's part in replication.
final class ReplicationMeters {
    private ReplicationMeters() {}

    static void register(Replicator replicator, NodeId node, MeterRegistry meters) {
        FunctionCounter.builder("sluice.replica.messages.lost", replicator, Replicator::lostMessages)
                .description("Messages to other replicas that were not delivered and are sent again")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.restored", replicator, Replicator::restored)
                .description("Damaged objects that were restored from other replicas")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.standstills", replicator, Replicator::standstills)
                .description("How often a drive stood still for a second, so that other replicas served its slots")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.leased", replicator, each -> each.leased() ? 1 : 0)
                .description("1 while a drive of this target may serve its slots")
                .tag("node", node.value())
                .register(meters);
    }
}
