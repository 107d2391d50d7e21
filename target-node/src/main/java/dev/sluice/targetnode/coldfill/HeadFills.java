package dev.sluice.targetnode.coldfill;

import dev.sluice.common.name.NodeId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/// How many of the fills that HEADs began may be under way at once on this target. A client does not wait for their
/// end, so nothing else limits them. Together they leave half of a cloud's connections to readers.
final class HeadFills {
    private final int most;
    private final Semaphore free;
    private final Counter refused;

    /// @param maxConnections to one cloud
    /// @param lanes connections that a fill of a large object uses
    HeadFills(int maxConnections, int lanes, NodeId node, MeterRegistry meters) {
        var tags = Tags.of("node", node.value());
        this.most = Math.max(1, maxConnections / 2 / lanes);
        this.free = new Semaphore(most);
        this.refused = meters.counter("sluice.head.fills.refused", tags);
        meters.gauge("sluice.head.fills.running", tags, this, HeadFills::running);
    }

    private int running() {
        return most - free.availablePermits();
    }

    /// @return to be run at the fill's end; nothing when no more may begin now
    Optional<Runnable> begin() {
        if (free.tryAcquire()) {
            return Optional.of(free::release);
        }
        refused.increment();
        return Optional.empty();
    }
}
