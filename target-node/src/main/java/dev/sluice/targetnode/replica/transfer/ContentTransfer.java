package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.RecordBytes;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.peers.ReceivedContent;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.IOException;

/// Objects' bytes from other targets: of a prepared write from its primary.
public final class ContentTransfer {
    private final ReplicaParts parts;
    private final ArrivingCopies copies;

    public ContentTransfer(ReplicaParts parts) {
        this.parts = parts;
        this.copies = new ArrivingCopies(parts, System::nanoTime);
    }

    /// Blocks until the bytes are here.
    ///
    /// @return they wait for the change that stores them
    Staging.Bytes bring(
            DriveReplicas loop,
            Node sender,
            LocalChanges.KnownBucket bucket,
            Envelope envelope,
            Message.Prepare prepare,
            Envelope.Attached attached)
            throws IOException {
        var record = RecordBytes.decode(attached.record()).at(prepare.position());
        require(record, prepare.key(), prepare.version());
        if (attached.content().isPresent()) {
            return copies.makingRoom(
                    loop,
                    () -> keep(
                            loop,
                            bucket,
                            record,
                            fetch -> fetch.take(attached.content().get(), record)));
        }
        var copy = attached.arrivedAs().flatMap(name -> copies.of(loop, bucket, name, record));
        if (copy.isPresent()) {
            return kept(loop, record, copy.get());
        }
        return copies.makingRoom(loop, () -> fetch(loop, sender, bucket, prepare, record));
    }

    private Staging.Bytes fetch(
            DriveReplicas loop,
            Node sender,
            LocalChanges.KnownBucket bucket,
            Message.Prepare prepare,
            ObjectRecord record)
            throws IOException {
        var query = "version=%d-%d&position=%d"
                .formatted(prepare.version().epoch(), prepare.version().sequence(), prepare.position());
        try (var answer = open(sender, query)) {
            require(answer.record(), prepare.key(), prepare.version());
            if (answer.record().position() != record.position()) {
                throw new IOException("another slice of the write came");
            }
            return keep(
                    loop,
                    bucket,
                    record,
                    fetch -> fetch.take(answer.body(), record, parts.store().smallLimit()));
        }
    }

    static void require(ObjectRecord record, ObjectKey key, ObjectVersion version) throws IOException {
        if (record.bucketId() != key.bucketId()
                || !record.key().equals(key.key())
                || !record.version().equals(version)) {
            throw new IOException("the record of another write came");
        }
    }

    interface Taking {
        void from(ContentFetch fetch) throws IOException;
    }

    Staging.Bytes keep(DriveReplicas loop, LocalChanges.KnownBucket bucket, ObjectRecord record, Taking taking)
            throws IOException {
        var work = Layout.work(parts.store().versions().next());
        var fetch = new ContentFetch(loop.drive(), bucket.ref(), work, bucket.durable());
        boolean taken = false;
        try {
            taking.from(fetch);
            taken = true;
            return kept(loop, record, fetch);
        } finally {
            if (!taken) {
                fetch.close();
            }
        }
    }

    private Staging.Bytes kept(DriveReplicas loop, ObjectRecord record, ContentFetch fetch) {
        Staging.Bytes bytes = new Staging.Bytes() {
            @Override
            public Prepared prepared() throws IOException {
                try (fetch) {
                    return fetch.prepared();
                }
            }

            @Override
            public void drop() {
                fetch.close();
            }

            @Override
            public void undo() {
                fetch.close();
                fetch.discard();
            }
        };
        parts.staging().put(loop, new Slice(record.version(), record.position()), bytes);
        return bytes;
    }

    /// Bytes come to the primary, for a write that is prepared later. Waits for nothing.
    void arriving(DriveReplicas loop, Node primary, LocalChanges.KnownBucket bucket, Message.Arriving object) {
        copies.begin(loop, primary, bucket, object);
    }

    /// To be called now and then.
    public void sweep() {
        copies.sweep();
    }

    /// A drive takes no part any more.
    public void ended(DriveReplicas loop) {
        copies.ended(loop);
    }

    /// An object's record and bytes; each read of them ends in time.
    public ReceivedContent open(Node from, String query) throws IOException {
        return ReceivedContent.of(parts.targets().content(PeerAddress.of(from), query));
    }
}
