package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.Envelope;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.RecordBytes;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Objects' bytes between targets: of a prepared write from its primary, of a row that a learner lacks from its source.
public final class ContentTransfer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ContentTransfer.class);
    private static final int AT_ONCE = 16;
    private static final Duration LOOK = Duration.ofMillis(100);

    private final ReplicaParts parts;
    private final Consumer<Command.TakeOff> leave;
    private final ArrivingCopies copies;
    private final ExecutorService rows = Executors.newFixedThreadPool(
            AT_ONCE, Thread.ofVirtual().name("pull-", 0).factory());

    /// @param leave proposes that a learner leaves its slot
    public ContentTransfer(ReplicaParts parts, Consumer<Command.TakeOff> leave) {
        this.parts = parts;
        this.leave = leave;
        this.copies = new ArrivingCopies(parts, System::nanoTime);
    }

    // ---- bytes of a prepared write

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
        var record = RecordBytes.decode(attached.record());
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
        var query = "version=%d-%d"
                .formatted(prepare.version().epoch(), prepare.version().sequence());
        try (var answer = open(sender, query)) {
            require(answer.record(), prepare.key(), prepare.version());
            return keep(
                    loop,
                    bucket,
                    record,
                    fetch -> fetch.take(answer.body(), record, parts.store().smallLimit()));
        }
    }

    private static void require(ObjectRecord record, ObjectKey key, ObjectVersion version) throws IOException {
        if (record.bucketId() != key.bucketId()
                || !record.key().equals(key.key())
                || !record.version().equals(version)) {
            throw new IOException("the record of another write came");
        }
    }

    private interface Taking {
        void from(ContentFetch fetch) throws IOException;
    }

    private Staging.Bytes keep(DriveReplicas loop, LocalChanges.KnownBucket bucket, ObjectRecord record, Taking taking)
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
        parts.staging().put(loop, new Slice(record.version(), 0), bytes);
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

    // ---- rows that a learner lacks

    /// Never blocks.
    public void begin(LocalReplica replica, Action.Pull pull) {
        replica.pullWaits();
        rows.execute(() -> {
            replica.pullBegins();
            boolean came = false;
            try {
                if (!replica.copies(pull.learning())) {
                    return; // with another primary it has begun again
                }
                pull(replica, pull);
                came = true;
            } catch (StoreException.NoSpace refused) {
                LOG.debug("a row did not fit", refused);
                leaveIfFull(replica);
            } catch (IOException | StoreException failure) {
                LOG.debug("a row did not come", failure);
            } catch (RuntimeException bug) {
                LOG.error("{} of drive {} was not pulled: a bug", pull.key(), pull.drive(), bug);
            } finally {
                if (!came) {
                    var failed = new Event.PullFailed(pull.learning(), pull.key());
                    replica.loop().postCopied(replica.group(), replica.slot(), failed);
                }
            }
        });
    }

    /// On a full drive it would not finish. Another drive learns in its place, if there is one.
    private void leaveIfFull(LocalReplica replica) {
        var loop = replica.loop();
        if (loop.drive().space().isFull()) {
            parts.applied()
                    .get()
                    .flatMap(known -> known.row(replica.group(), replica.slot()))
                    .flatMap(row -> row.member(loop.id())
                            .filter(member -> !member.inSync() && member.incarnation() == loop.incarnation())
                            .map(member -> new Command.SlotDrive(
                                    replica.group(), replica.slot(), row.epoch(), loop.id(), loop.incarnation())))
                    .ifPresent(learner -> leave.accept(new Command.TakeOff(List.of(learner))));
        }
    }

    private void pull(LocalReplica replica, Action.Pull pull) throws IOException {
        var known = parts.applied().get().orElseThrow();
        var source = known.owner(pull.drive())
                .orElseThrow(() -> new StoreException.Unavailable("drive " + pull.drive() + " is nobody's"));
        var bucket = known.bucket(pull.key().bucketId())
                .orElseThrow(() -> new StoreException.Unavailable("the bucket is not known here"));
        var loop = replica.loop();
        var learning = pull.learning();
        var query = "group=%d&slot=%d&drive=%s&learner=%s&primary=%d&since=%d&incarnation=%d&bucket=%d&key=%s"
                .formatted(
                        replica.group(),
                        replica.slot(),
                        pull.drive(),
                        loop.id(),
                        learning.primarySince(),
                        learning.since(),
                        learning.incarnation(),
                        pull.key().bucketId(),
                        URLEncoder.encode(pull.key().key(), StandardCharsets.UTF_8));
        try (var answer = open(source, query)) {
            if (answer.isEmpty()) {
                loop.postCopied(
                        replica.group(), replica.slot(), new Event.Pulled(learning, pull.key(), Optional.empty()));
                return;
            }
            var record = answer.record();
            require(record, pull.key(), record.version());
            loop.drive().space().requireFitsReplica(record.fileSize());
            var body = noting(replica, answer.body());
            var bytes = keep(
                    loop,
                    bucket,
                    record,
                    fetch -> fetch.take(body, record, parts.store().smallLimit()));
            var row = Optional.of(new Slice(record.version(), 0));
            var handedIn = new CompletableFuture<Boolean>();
            loop.runCopying(() -> {
                pulled(replica, new Event.Pulled(learning, pull.key(), row), bytes);
                handedIn.complete(true);
            });
            await(handedIn, loop);
        }
    }

    /// A thread brings no other row before this one is handed in: else many would wait with their bytes.
    private static void await(CompletableFuture<Boolean> handedIn, DriveReplicas loop) {
        while (!handedIn.isDone() && !loop.isClosed()) {
            var _ = Await.within(LOOK, handedIn);
        }
    }

    /// A large object takes long, and keeps its slot's turn while its bytes come.
    private static InputStream noting(LocalReplica replica, InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int count = super.read(into, offset, length);
                replica.copied(System.nanoTime());
                return count;
            }
        };
    }

    private void pulled(LocalReplica replica, Event.Pulled pulled, Staging.Bytes bytes) {
        var actions = replica.loop().handle(replica, pulled);
        if (actions.stream().noneMatch(Action.StorePulled.class::isInstance)) {
            parts.staging().drop(replica.loop(), pulled.row().orElseThrow(), bytes);
        }
    }

    /// An object's record and bytes; each read of them ends in time.
    public ReceivedContent open(Node from, String query) throws IOException {
        return ReceivedContent.of(parts.targets().content(PeerAddress.of(from), query));
    }

    /// What waits is forgotten.
    @Override
    public void close() {
        rows.shutdownNow();
    }
}
