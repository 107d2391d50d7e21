package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.common.time.NanoClock;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whom this target hears: every 250 ms it asks each other target, which answers before anything that blocks. Heard is
/// who answers and asks itself, for a write needs both ways. Neither waits for messages about slots, which may be many.
///
/// After its start, and after the process stood still, it has no opinion until the others had time to answer.
public final class Pings implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pings.class);
    private static final Duration EACH = Duration.ofMillis(250);
    private static final Duration TICK = Duration.ofMillis(50);

    /// A tick that is so late means that the process stood still.
    private static final Duration LATE = Duration.ofMillis(400);

    private static final Duration TO_ANSWER = Duration.ofMillis(200);

    /// At one target: each ends after 0.9 s at the latest.
    private static final int MOST_UNDER_WAY = 4;

    private final Supplier<Collection<PeerAddress>> others;
    private final ReplicaPeers targets;
    private final NanoClock clock;
    private final Executor threads;
    private final Thread thread;
    private final Map<NodeId, Long> taken = new ConcurrentHashMap<>();
    private final Map<NodeId, Long> sent = new ConcurrentHashMap<>();
    private final Map<PeerAddress, Semaphore> underWay = new ConcurrentHashMap<>();
    private volatile long ticked;
    private volatile long steadySince;
    private volatile boolean closed;
    private long asked;

    /// @param others the other targets as the newest state names them
    /// @param clock counts the time that the machine is suspended, too
    /// @param threads that wait for nothing else
    public Pings(
            NodeId self,
            Supplier<Collection<PeerAddress>> others,
            ReplicaPeers targets,
            NanoClock clock,
            Executor threads) {
        this.others = others;
        this.targets = targets;
        this.clock = clock;
        this.threads = threads;
        this.ticked = clock.nanos();
        this.steadySince = ticked;
        this.asked = ticked - EACH.toNanos();
        this.thread = Thread.ofPlatform().name("pings " + self).daemon().unstarted(this::run);
    }

    public void start() {
        steadySince = clock.nanos();
        ticked = steadySince;
        thread.start();
    }

    /// A target has sent a ping. On any thread.
    public void came(NodeId from) {
        sent.put(from, clock.nanos());
    }

    /// Those that were heard in the last while; empty when that cannot be said. On any thread.
    public Optional<Set<NodeId>> heard(Duration within) {
        long now = clock.nanos();
        if (now - ticked > LATE.toNanos()
                || now - steadySince < within.plus(TO_ANSWER).toNanos()) {
            return Optional.empty();
        }
        return Optional.of(taken.entrySet().stream()
                .filter(answer -> now - answer.getValue() < within.toNanos())
                .map(Map.Entry::getKey)
                .filter(target -> sent.containsKey(target) && now - sent.get(target) < within.toNanos())
                .collect(Collectors.toUnmodifiableSet()));
    }

    private void run() {
        while (!closed) {
            try {
                tick();
            } catch (RejectedExecutionException closing) {
                LOG.debug("no more pings: {}", closing.getMessage());
            } catch (RuntimeException bug) {
                LOG.error("the other targets were not asked: a bug", bug);
            }
            LockSupport.parkNanos(TICK.toNanos());
        }
    }

    /// Every 50 ms.
    public void tick() {
        long now = clock.nanos();
        if (now - ticked > LATE.toNanos()) {
            steadySince = now;
        }
        ticked = now;
        if (now - asked >= EACH.toNanos()) {
            asked = now;
            for (var other : others.get()) {
                ask(other);
            }
        }
    }

    private void ask(PeerAddress other) {
        var room = underWay.computeIfAbsent(other, _ -> new Semaphore(MOST_UNDER_WAY));
        if (!room.tryAcquire()) {
            return;
        }
        boolean begun = false;
        try {
            threads.execute(() -> {
                try {
                    targets.ping(other);
                    taken.put(other.id(), clock.nanos());
                } catch (StoreException silent) {
                    LOG.debug("{} does not answer: {}", other.id(), silent.getMessage());
                } finally {
                    room.release();
                }
            });
            begun = true;
        } finally {
            if (!begun) {
                room.release();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
