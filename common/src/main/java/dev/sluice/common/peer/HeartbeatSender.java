package dev.sluice.common.peer;

import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.cluster.HeartbeatAnswer;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends a target's beats to one controller, from a platform thread of their own: a controller that does not answer
/// costs the others nothing. Of beats that wait, the newest is sent.
final class HeartbeatSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatSender.class);

    private record Waiting(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {}

    private final NodeId controller;
    private final Function<Heartbeat, HeartbeatAnswer> call;
    private final AtomicReference<@Nullable Waiting> newest = new AtomicReference<>();
    private @Nullable Thread thread;
    private volatile boolean closed;

    HeartbeatSender(NodeId controller, Function<Heartbeat, HeartbeatAnswer> call) {
        this.controller = controller;
        this.call = call;
    }

    /// Waits for nothing.
    void send(Heartbeat beat, Consumer<HeartbeatAnswer> answered) {
        newest.set(new Waiting(beat, answered));
        LockSupport.unpark(thread());
    }

    /// Nodes that are no targets send none.
    private synchronized Thread thread() {
        if (thread == null) {
            thread = Thread.ofPlatform().name("beats to " + controller).daemon().start(this::sendForEver);
        }
        return thread;
    }

    private void sendForEver() {
        while (!closed) {
            var waiting = newest.getAndSet(null);
            if (waiting == null) {
                LockSupport.park(this);
                continue;
            }
            try {
                waiting.answered().accept(call.apply(waiting.beat()));
            } catch (StoreException away) {
                LOG.debug("{} does not answer a beat: {}", controller, away.getMessage());
            } catch (RuntimeException bug) {
                LOG.error("a beat to {} failed: a bug", controller, bug);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        newest.set(null);
        LockSupport.unpark(thread());
    }
}
