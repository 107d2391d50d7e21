package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Messages between cores: to drives of other targets by their outboxes, and from there to the drive's loop. The bytes
/// of
/// a prepared write are here before its core sees the message.
final class Messages implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Messages.class);

    private static final int AT_ONCE = 256;

    private final NodeId self;
    private final ReplicaPeers targets;
    private final Staging staging;
    private final ClientWrites writes;
    private final Function<String, Optional<DriveReplicas>> loops;
    private final Supplier<Optional<Applied>> applied;
    private final Executor threads;
    private final Map<PeerAddress, Outbox> outboxes = new ConcurrentHashMap<>();
    private final AtomicLong lost = new AtomicLong();
    private Optional<Pulls> pulls = Optional.empty();
    private volatile boolean closed;

    /// @param loops of this target, by drive
    Messages(
            NodeId self,
            ReplicaPeers targets,
            Staging staging,
            ClientWrites writes,
            Function<String, Optional<DriveReplicas>> loops,
            Supplier<Optional<Applied>> applied,
            Executor threads) {
        this.self = self;
        this.targets = targets;
        this.staging = staging;
        this.writes = writes;
        this.loops = loops;
        this.applied = applied;
        this.threads = threads;
    }

    /// Before the first message.
    void fetchBy(Pulls fetching) {
        pulls = Optional.of(fetching);
    }

    long lost() {
        return lost.get();
    }

    // ---- out

    /// Never blocks.
    void send(Holder holder, Action.Send send) {
        if (holder.isStandIn() && send.message() instanceof Message.AskListing) {
            return; // asked again with each tick
        }
        Optional<Envelope.Attached> attached = Optional.empty();
        if (send.message() instanceof Message.Prepare prepare && !prepare.delete()) {
            attached = writes.pending(prepare.version())
                    .flatMap(PendingWrite::accepted)
                    .map(PendingWrite.Accepted::attached);
            if (attached.isEmpty()) {
                return; // it was decided in between
            }
        }
        var envelope =
                new Envelope(holder.group(), holder.slot(), holder.loop().id(), send.drive(), send.message(), attached);
        var here = loops.apply(send.drive());
        if (here.isPresent()) {
            here.get()
                    .postMessage(
                            holder.group(), holder.slot(), new Event.Received(envelope.from(), envelope.message()));
            return;
        }
        applied.get()
                .flatMap(known -> known.owner(send.drive()))
                .filter(node -> !node.id().equals(self))
                .ifPresentOrElse(node -> outbox(node).send(EnvelopeCodec.encode(envelope)), lost::incrementAndGet);
    }

    private Outbox outbox(Node node) {
        return outboxes.computeIfAbsent(PeerAddress.of(node), to -> new Outbox(to, targets, lost));
    }

    // ---- in

    void take(NodeId from, byte[] batch) throws IOException {
        var in = ByteBuffer.wrap(batch);
        var plain = new HashMap<DriveReplicas, List<Envelope>>();
        try {
            while (in.remaining() >= Integer.BYTES) {
                var message = new byte[Math.clamp(in.getInt(), 0, in.remaining())];
                in.get(message);
                take(from, EnvelopeCodec.decode(message), plain);
            }
        } finally {
            plain.forEach(Messages::post);
        }
    }

    /// In pieces, so that what else waits for a loop comes in between.
    private static void post(DriveReplicas loop, List<Envelope> envelopes) {
        for (int begin = 0; begin < envelopes.size(); begin += AT_ONCE) {
            var piece = envelopes.subList(begin, Math.min(envelopes.size(), begin + AT_ONCE));
            loop.postMessages(() -> piece.forEach(
                    each -> loop.handle(each.group(), each.slot(), new Event.Received(each.from(), each.message()))));
        }
    }

    /// @param plain gathers those that bring no bytes
    private void take(NodeId from, Envelope envelope, Map<DriveReplicas, List<Envelope>> plain) {
        var known = applied.get();
        var loop = loops.apply(envelope.to());
        if (closed
                || loop.isEmpty()
                || known.filter(each -> each.has(envelope.group(), envelope.slot()))
                        .isEmpty()) {
            return; // it is sent again
        }
        var sender = known.get().owner(envelope.from());
        if (sender.isEmpty() || !sender.get().id().equals(from)) {
            LOG.debug("a message of drive {} came from {}, which does not have it", envelope.from(), from);
            return;
        }
        if (envelope.message() instanceof Message.Prepare prepare && !prepare.delete()) {
            take(loop.get(), sender.get(), envelope, prepare);
        } else {
            plain.computeIfAbsent(loop.get(), _ -> new ArrayList<>()).add(envelope);
        }
    }

    private void take(DriveReplicas loop, Node sender, Envelope envelope, Message.Prepare prepare) {
        var drive = loop.drive();
        var key = prepare.key();
        boolean open = drive.openIntent(key.bucketId(), key.key())
                .filter(intent -> intent.version().equals(prepare.version()))
                .isPresent();
        if (open) {
            loop.postMessage(
                    envelope.group(), envelope.slot(), new Event.Received(envelope.from(), envelope.message()));
            return;
        }
        var bucket = applied.get().flatMap(known -> known.bucket(key.bucketId()));
        if (bucket.isEmpty() || !staging.coming(loop, prepare.version())) {
            return; // it is sent again
        }
        threads.execute(() -> {
            boolean came = false;
            try {
                var attached = envelope.attached().orElseThrow(() -> new IOException("a write came without a record"));
                var bytes = pulls.orElseThrow().bring(loop, sender, bucket.get(), envelope, prepare, attached);
                loop.run(() -> handle(loop, envelope, prepare, bytes));
                came = true;
            } catch (IOException | StoreException failure) {
                LOG.debug("the bytes of a prepared write did not come", failure);
            } finally {
                if (!came) {
                    staging.came(loop, prepare.version());
                }
            }
        });
    }

    /// What the core does not want now comes with the next sending: only then may others bring it again.
    private void handle(DriveReplicas loop, Envelope envelope, Message.Prepare prepare, Staging.Bytes bytes) {
        var actions =
                loop.handle(envelope.group(), envelope.slot(), new Event.Received(envelope.from(), envelope.message()));
        boolean wanted = actions.stream()
                .anyMatch(action -> action instanceof Action.StoreIntent intent
                        && intent.version().equals(prepare.version()));
        if (!wanted) {
            staging.drop(loop, prepare.version(), bytes);
            staging.came(loop, prepare.version());
        }
    }

    @Override
    public void close() {
        closed = true;
        outboxes.values().forEach(Outbox::close);
    }
}
