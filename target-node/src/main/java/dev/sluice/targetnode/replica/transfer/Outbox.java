package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.peer.PeerAddress;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Messages for one other target, in order, as many in one call as have gathered. A message may be lost: when the other
/// does not answer, or when more wait than there is room for. Who sent it sends it again.
final class Outbox implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);
    /// @param largestCall bytes of messages in one call; one message may be larger
    /// @param room bytes of all messages that wait
    record Size(int largestCall, long room) {}

    static final Size FIRST = new Size(768 << 10, 32L << 20);

    /// Of what learners copy: small, so that the other target is not long at one call.
    static final Size COPYING = new Size(128 << 10, 8L << 20);

    private final PeerAddress to;
    private final ReplicaPeers targets;
    private final AtomicLong lost;
    private final Size size;
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private final Semaphore arrived = new Semaphore(0);
    private final Thread sender;
    private long waitingBytes;
    private volatile boolean closed;
    private boolean complained;

    /// @param lost counts messages that were not delivered
    Outbox(PeerAddress to, ReplicaPeers targets, AtomicLong lost, Size size) {
        this.size = size;
        this.to = to;
        this.targets = targets;
        this.lost = lost;
        this.sender = Thread.ofVirtual().name("replica-" + to.id()).start(this::sendForEver);
    }

    /// Never blocks.
    void send(byte[] message) {
        synchronized (waiting) {
            if (waitingBytes + message.length > size.room) {
                lost.incrementAndGet();
                return;
            }
            waiting.addLast(message);
            waitingBytes += message.length;
        }
        arrived.release();
    }

    private void sendForEver() {
        while (!closed) {
            try {
                arrived.acquire();
            } catch (InterruptedException _) {
                continue; // it is being closed
            }
            arrived.drainPermits();
            for (var batch = next(); batch.messages > 0 && !closed; batch = next()) {
                deliver(batch);
            }
        }
    }

    /// @param bytes each message after its length
    @SuppressWarnings("ArrayRecordComponent") // made once, sent once
    private record Batch(byte[] bytes, int messages) {}

    private Batch next() {
        var batch = new ByteArrayOutputStream();
        int messages = 0;
        synchronized (waiting) {
            while (!waiting.isEmpty()
                    && (batch.size() == 0 || batch.size() + waiting.getFirst().length < size.largestCall)) {
                messages++;
                var message = waiting.removeFirst();
                waitingBytes -= message.length;
                batch.writeBytes(ByteBuffer.allocate(4).putInt(message.length).array());
                batch.writeBytes(message);
            }
        }
        return new Batch(batch.toByteArray(), messages);
    }

    private void deliver(Batch batch) {
        try {
            targets.deliver(to, batch.bytes);
            complained = false;
        } catch (RuntimeException away) {
            lost.addAndGet(batch.messages);
            if (!complained && !closed) {
                LOG.warn("messages to {} are lost: {}", to.id(), away.getMessage());
                complained = true; // once for each outage
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        sender.interrupt();
    }
}
