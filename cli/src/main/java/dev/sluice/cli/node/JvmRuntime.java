package dev.sluice.cli.node;

import dev.sluice.common.cluster.ControlPlane;
import dev.sluice.common.http.engine.EventLoops;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.TargetService;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// What the nodes of one JVM share: event loops, meters, and the targets and the controller that can be called without
/// a
/// detour over the network.
final class JvmRuntime implements SharedRuntime {
    private final EventLoops loops;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
    private final ConcurrentMap<NodeId, TargetService> targets = new ConcurrentHashMap<>();
    private volatile Optional<ControlPlane> controller = Optional.empty();

    JvmRuntime(int eventLoops) {
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

    Optional<ControlPlane> controller() {
        return controller;
    }

    void controllerIs(ControlPlane here) {
        controller = Optional.of(here);
    }

    @Override
    public void close() {
        loops.close();
        garbageCollection.close();
        meters.close();
    }
}
