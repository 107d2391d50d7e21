package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.ClientWrites;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.EarlyMessages;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.PendingWrite;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Messages between cores: to drives of other targets by their outboxes, and from there to the drive's loop. The
/// bytes of a prepared write are here before its core sees the message.
public final class Messages implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Messages.class);

    private final ReplicaParts parts;
    private final ClientWrites writes;
    private final Map<PeerAddress, Outbox> outboxes = new ConcurrentHashMap<>();
    private final Map<PeerAddress, Outbox> copying = new ConcurrentHashMap<>();
    private final AtomicLong lost = new AtomicLong();
    private Optional<ContentTransfer> transfer = Optional.empty();
    private volatile boolean closed;

    public Messages(ReplicaParts parts, ClientWrites writes) {
        this.parts = parts;
        this.writes = writes;
    }

    /// Before the first message.
    public void fetchBy(ContentTransfer fetching) {
        transfer = Optional.of(fetching);
    }

    public long lost() {
        return lost.get();
    }

    // ---- out

    /// Never blocks.
    public void send(LocalReplica replica, Action.Send send) {
        if (send.message() instanceof Message.AskListing && !replica.loop().mayCopy(replica)) {
            return; // asked when it has a turn
        }
        Optional<Envelope.Attached> attached = Optional.empty();
        if (send.message() instanceof Message.Prepare prepare && !prepare.delete()) {
            attached = writes.pending(prepare.version())
                    .flatMap(PendingWrite::accepted)
                    .map(accepted -> accepted.attached(prepare.position()));
            if (attached.isEmpty()) {
                return; // it was decided in between
            }
        }
        var envelope = new Envelope(
                replica.group(), replica.slot(), replica.loop().id(), send.drive(), send.message(), attached);
        var here = parts.loops().apply(send.drive());
        if (here.isPresent()) {
            here.get()
                    .postMessage(
                            replica.group(), replica.slot(), new Event.Received(envelope.from(), envelope.message()));
        } else if (!sendAway(envelope)) {
            lost.incrementAndGet();
        }
    }

    /// Before the prepared write, which comes to the other target after it. Never blocks.
    ///
    /// @return false when the drive is here, or nobody's
    boolean announce(LocalReplica replica, String drive, Message.Arriving object) {
        return parts.loops().apply(drive).isEmpty()
                && sendAway(new Envelope(
                        replica.group(), replica.slot(), replica.loop().id(), drive, object, Optional.empty()));
    }

    private boolean sendAway(Envelope envelope) {
        var node = parts.applied()
                .get()
                .flatMap(known -> known.owner(envelope.to()))
                .filter(owner -> !owner.id().equals(parts.self()));
        node.ifPresent(owner -> outbox(owner, envelope.message()).send(EnvelopeCodec.encode(envelope)));
        return node.isPresent();
    }

    /// What learners copy goes by calls of its own: no write waits for it.
    private Outbox outbox(Node node, Message message) {
        var of = message.copies() ? copying : outboxes;
        var size = message.copies() ? Outbox.COPYING : Outbox.FIRST;
        return of.computeIfAbsent(PeerAddress.of(node), to -> new Outbox(to, parts.targets(), lost, size));
    }

    // ---- in

    public void take(NodeId from, byte[] batch) throws IOException {
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
        for (int begin = 0; begin < envelopes.size(); begin += DriveReplicas.MESSAGES_AT_ONCE) {
            var piece = envelopes.subList(begin, Math.min(envelopes.size(), begin + DriveReplicas.MESSAGES_AT_ONCE));
            loop.postMessages(() -> piece.forEach(each -> loop.receive(each.group(), each.slot(), received(each))));
        }
    }

    private static Event.Received received(Envelope envelope) {
        return new Event.Received(envelope.from(), envelope.message());
    }

    /// @param plain gathers those that bring no bytes
    private void take(NodeId from, Envelope envelope, Map<DriveReplicas, List<Envelope>> plain) {
        var known = parts.applied().get();
        var loop = parts.loops().apply(envelope.to());
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
        } else if (envelope.message() instanceof Message.Arriving object) {
            known.get()
                    .bucket(object.bucketId())
                    .ifPresent(bucket -> transfer.orElseThrow().arriving(loop.get(), sender.get(), bucket, object));
        } else if (envelope.message().copies()) {
            loop.get().postMessage(envelope.group(), envelope.slot(), received(envelope));
        } else {
            plain.computeIfAbsent(loop.get(), _ -> new ArrayList<>()).add(envelope);
        }
    }

    private void take(DriveReplicas loop, Node sender, Envelope envelope, Message.Prepare prepare) {
        var drive = loop.drive();
        var key = prepare.key();
        boolean open = drive.openIntent(key.bucketId(), key.key())
                .filter(intent -> intent.slice().equals(prepare.slice()))
                .isPresent();
        if (open) {
            loop.postMessage(envelope.group(), envelope.slot(), received(envelope));
            return;
        }
        var bucket = parts.applied().get().flatMap(known -> known.bucket(key.bucketId()));
        if (bucket.isEmpty()) {
            return; // it is sent again
        }
        if (!parts.staging().coming(loop, prepare.slice())) {
            loop.postMessages(() -> sentAgain(loop, sender, envelope, prepare));
            return;
        }
        parts.threads().execute(() -> {
            boolean came = false;
            try {
                var attached = attached(envelope);
                var bytes = transfer.orElseThrow().bring(loop, sender, bucket.get(), envelope, prepare, attached);
                loop.run(() -> came(loop, envelope, prepare, bytes));
                came = true;
            } catch (StoreException.NoSpace full) {
                var none = parts.staging().refusing(loop, prepare.slice(), full);
                loop.run(() -> came(loop, envelope, prepare, none));
                came = true;
            } catch (IOException | StoreException failure) {
                LOG.debug("the bytes of a prepared write did not come", failure);
            } finally {
                if (!came) {
                    parts.staging().came(loop, prepare.slice());
                }
            }
        });
    }

    private static Envelope.Attached attached(Envelope envelope) throws IOException {
        return envelope.attached().orElseThrow(() -> new IOException("a write came without a record"));
    }

    /// The bytes of a prepared write are here. The newest message with it counts.
    private void came(DriveReplicas loop, Envelope envelope, Message.Prepare prepare, Staging.Bytes bytes) {
        var again = parts.staging()
                .sentAgain(loop, prepare.slice())
                .filter(newer -> newer.message() instanceof Message.Prepare other && other.epoch() > prepare.epoch());
        if (again.isPresent() && again.get().message() instanceof Message.Prepare newer) {
            keepOrHandle(loop, again.get(), newer, bytes);
        } else {
            keepOrHandle(loop, envelope, prepare, bytes);
        }
    }

    /// It waits for its row, if it is early.
    private void keepOrHandle(DriveReplicas loop, Envelope envelope, Message.Prepare prepare, Staging.Bytes bytes) {
        var early = EarlyMessages.Early.withBytes(
                prepare,
                envelope.attached().orElseThrow(),
                () -> handle(loop, envelope, prepare, bytes),
                () -> drop(loop, prepare, bytes));
        if (!loop.keepsIfEarly(loop.replica(envelope.group(), envelope.slot()), early)) {
            handle(loop, envelope, prepare, bytes);
        }
    }

    /// The write was sent again, in a newer epoch perhaps: while it is being stored, while its bytes wait with an
    /// earlier message, or while they come. On the loop's thread.
    private void sentAgain(DriveReplicas loop, Node sender, Envelope envelope, Message.Prepare prepare) {
        var replica = loop.replica(envelope.group(), envelope.slot());
        var slice = prepare.slice();
        if (replica.core().hasOpen(prepare.key(), slice)) {
            loop.receive(envelope.group(), envelope.slot(), received(envelope));
        } else if (loop.replacesEarly(replica, prepare.epoch(), slice)) {
            parts.staging()
                    .find(loop, slice)
                    .ifPresentOrElse(
                            bytes -> keepOrHandle(loop, envelope, prepare, bytes),
                            () -> parts.staging().came(loop, slice));
        } else if (!parts.staging().isSentAgain(loop, slice, envelope)) {
            take(loop, sender, envelope, prepare);
        }
    }

    private void handle(DriveReplicas loop, Envelope envelope, Message.Prepare prepare, Staging.Bytes bytes) {
        boolean wanted = loop.handle(envelope.group(), envelope.slot(), received(envelope)).stream()
                .anyMatch(action -> action instanceof Action.StoreIntent(var intent)
                        && intent.slice().equals(prepare.slice()));
        if (!wanted) {
            drop(loop, prepare, bytes);
        }
    }

    /// What the core does not want now comes with the next sending: only then may others bring it again.
    private void drop(DriveReplicas loop, Message.Prepare prepare, Staging.Bytes bytes) {
        parts.staging().drop(loop, prepare.slice(), bytes);
        parts.staging().came(loop, prepare.slice());
    }

    @Override
    public void close() {
        closed = true;
        outboxes.values().forEach(Outbox::close);
        copying.values().forEach(Outbox::close);
    }
}
