package dev.sluice.targetnode.replica;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.replica.loop.ReplicaCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/// What an operator sees of a target's part in replication.
public final class ReplicationMeters {
    private ReplicationMeters() {}

    public static void register(Replicator replicator, NodeId node, MeterRegistry meters) {
        var counts = replicator.counts();
        FunctionCounter.builder("sluice.replica.messages.lost", counts, ReplicaCounts::lostMessages)
                .description("Messages to other replicas that were not delivered and are sent again")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.messages.early", counts, ReplicaCounts::earlyMessages)
                .description("Messages that waited for this target to hear of a newer epoch")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.copying", counts, ReplicaCounts::copying)
                .description("Slots whose old objects are being copied to drives of this target")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.copying.waiting", counts, ReplicaCounts::waitingToCopy)
                .description("Slots that wait until others are copied")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.copied.bytes", counts, ReplicaCounts::copiedBytes)
                .description("Bytes of old objects that came to drives of this target as they learned")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.copying.stuck", counts, ReplicaCounts::stuckRows)
                .description("Objects that could not be copied to drives of this target again and again")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.steps", counts, ReplicaCounts::waitingSteps)
                .description("Rows, fences and messages of writes that wait for the drives' loops")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.copying.steps", counts, ReplicaCounts::waitingCopyingSteps)
                .description("The same of what learners copy")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.restored", counts, ReplicaCounts::restored)
                .description("Damaged objects that were restored from other replicas")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.purged", counts, ReplicaCounts::purged)
                .description("Objects that were deleted from drives which have no part in their slots any more")
                .tag("node", node.value())
                .register(meters);
        FunctionCounter.builder("sluice.replica.standstills", counts, ReplicaCounts::standstills)
                .description("How often a drive stood still for a second, so that other replicas served its slots")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.gathering.bytes", replicator, Replicator::gatheringBytes)
                .description("Memory for slices of objects that are read")
                .tag("node", node.value())
                .register(meters);
        Gauge.builder("sluice.replica.leased", replicator, each -> each.leased() ? 1 : 0)
                .description("1 while a drive of this target may serve its slots")
                .tag("node", node.value())
                .register(meters);
    }
}
