package dev.sluice.cli.node;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.sluice.cli.config.LimitsConfig;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.config.StorageConfig;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerService;
import dev.sluice.common.peer.TargetService;
import dev.sluice.targetnode.storage.index.RocksMemory;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// What the nodes of one JVM share: event loops, meters, and the targets and controllers that can be called
/// without a detour over the network, and the memory of all indexes.
final class JvmRuntime implements SharedRuntime {
    /// The rest is for objects in memory, what is sent, and what Netty keeps for the next request.
    private static final int BODIES_OF_DIRECT_MEMORY = 3;

    private final EventLoops loops;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
    private final ConcurrentMap<NodeId, TargetService> targets = new ConcurrentHashMap<>();
    private final StorageConfig storage;
    private final ConcurrentMap<NodeId, ControllerService> controllers = new ConcurrentHashMap<>();
    private Optional<RocksMemory> indexMemory = Optional.empty();

    /// @param first the node that says how large what all share is
    JvmRuntime(NodeConfig first) {
        int eventLoops = first.http().eventLoops();
        storage = first.storage();
        loops = eventLoops == 0 ? EventLoops.start() : EventLoops.start(eventLoops);
        garbageCollection.bindTo(meters);
        new JvmMemoryMetrics().bindTo(meters);
        new ProcessorMetrics().bindTo(meters);
    }

    EventLoops loops() {
        return loops;
    }

    PrometheusMeterRegistry meters() {
        return meters;
    }

    ConcurrentMap<NodeId, TargetService> targets() {
        return targets;
    }

    /// The indexes' memory, made for the first target: a process of proxies has none.
    synchronized RocksMemory indexMemory() {
        var memory = indexMemory.orElseGet(() -> new RocksMemory(
                storage.blockCache().bytes(), storage.writeBuffers().bytes()));
        indexMemory = Optional.of(memory);
        return memory;
    }

    /// Bytes of bodies that may be on their way.
    long bodyMemory(LimitsConfig limits) {
        var given = limits.bodyMemory().bytes();
        return given == 0 ? directMemory() / BODIES_OF_DIRECT_MEMORY : given;
    }

    /// What `-XX:MaxDirectMemorySize` says; the JVM takes the heap's limit where it is not set.
    private static long directMemory() {
        var set = Long.parseLong(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue());
        return set == 0 ? Runtime.getRuntime().maxMemory() : set;
    }

    ConcurrentMap<NodeId, ControllerService> controllers() {
        return controllers;
    }

    @Override
    public synchronized void close() {
        loops.close();
        indexMemory.ifPresent(RocksMemory::close);
        garbageCollection.close();
        meters.close();
    }
}
