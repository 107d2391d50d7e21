package dev.sluice.common.http.engine;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Looks after the relays under way: one alarm for each event loop that has some, ten times a second.
final class RelayWatch {
    private static final long TICK_MILLIS = 100;

    /// Relays that wait for the map to name another node hold a connection each, and little else.
    private static final int MOST_PARKED = 1024;

    private final EngineMetrics metrics;
    private final AtomicInteger parked;
    private final FastThreadLocal<Watched> watched = new FastThreadLocal<>() {
        @Override
        protected Watched initialValue() {
            return new Watched();
        }
    };

    /// Those of one event loop.
    private static final class Watched {
        private final Set<Relay> relays = new LinkedHashSet<>();
        private boolean alarmed;
    }

    RelayWatch(EngineMetrics metrics) {
        this.metrics = metrics;
        this.parked = metrics.relaysParked();
    }

    void add(Relay relay, EventLoop loop) {
        var here = watched.get();
        here.relays.add(relay);
        if (!here.alarmed) {
            here.alarmed = true;
            alarm(here, loop);
        }
    }

    void remove(Relay relay) {
        watched.get().relays.remove(relay);
    }

    private void alarm(Watched here, EventLoop loop) {
        var _ = loop.schedule(
                () -> {
                    long now = System.nanoTime();
                    for (var relay : new ArrayList<>(here.relays)) {
                        look(relay, now);
                    }
                    here.alarmed = !here.relays.isEmpty();
                    if (here.alarmed) {
                        alarm(here, loop);
                    }
                },
                TICK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private static void look(Relay relay, long now) {
        try {
            relay.look(now);
        } catch (RuntimeException fault) {
            relay.broken(fault);
        }
    }

    /// False when too many wait already.
    boolean park() {
        if (parked.incrementAndGet() > MOST_PARKED) {
            parked.decrementAndGet();
            return false;
        }
        return true;
    }

    void unpark() {
        parked.decrementAndGet();
    }

    EngineMetrics metrics() {
        return metrics;
    }
}
