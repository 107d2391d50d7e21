package dev.sluice.targetnode.replica;

import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Message;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Objects' bytes between targets: of a prepared write from its primary, of a row that a learner lacks from its source.
final class Pulls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pulls.class);
    private static final int AT_ONCE = 16;
    private static final int SECONDS_FOR_THE_CORE = 5;

    /// Of the sender of a body, for its next bytes.
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PeerClient peers;
    private final ObjectStore store;
    private final Staging staging;
    private final ClientWrites writes;
    private final Function<String, Optional<DriveReplicas>> loops;
    private final Supplier<Optional<Applied>> applied;
    private final Executor threads;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("silent replicas").daemon().factory());
    private final ExecutorService rows = Executors.newFixedThreadPool(
            AT_ONCE, Thread.ofVirtual().name("pull-", 0).factory());

    Pulls(
            PeerClient peers,
            ObjectStore store,
            Staging staging,
            ClientWrites writes,
            Function<String, Optional<DriveReplicas>> loops,
            Supplier<Optional<Applied>> applied,
            Executor threads) {
        this.peers = peers;
        this.store = store;
        this.staging = staging;
        this.writes = writes;
        this.loops = loops;
        this.applied = applied;
        this.threads = threads;
    }

    // ---- bytes of a prepared write

    /// Blocks until the bytes are here.
    void bring(
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
            keep(loop, bucket, record, fetch -> fetch.take(attached.content().get()));
            return;
        }
        var query = "version=%d-%d"
                .formatted(prepare.version().epoch(), prepare.version().sequence());
        try (var answer = open(sender, query)) {
            require(answer.record(), prepare.key(), prepare.version());
            keep(loop, bucket, record, fetch -> fetch.take(answer.body(), store.smallLimit()));
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

    private void keep(DriveReplicas loop, LocalChanges.KnownBucket bucket, ObjectRecord record, Taking taking)
            throws IOException {
        var work = Layout.work(store.versions().next());
        var fetch = new ContentFetch(loop.drive(), bucket.ref(), record, work, bucket.durable());
        boolean kept = false;
        try {
            taking.from(fetch);
            staging.put(loop.id(), record.version(), new Staging.Bytes() {
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
                    var _ = loop.drive()
                            .startStep(() -> loop.drive().contents().files().delete(work));
                }
            });
            kept = true;
        } finally {
            if (!kept) {
                fetch.close();
            }
        }
    }

    // ---- rows that a learner lacks

    /// Never blocks.
    void begin(Holder holder, Action.Pull pull) {
        rows.execute(() -> {
            boolean came = false;
            try {
                pull(holder, pull);
                came = true;
            } catch (IOException | StoreException failure) {
                LOG.debug("a row did not come", failure);
            } catch (RuntimeException bug) {
                LOG.error("{} of drive {} was not pulled: a bug", pull.key(), pull.drive(), bug);
            } finally {
                if (!came) {
                    var failed = new Event.PullFailed(pull.learning(), pull.key());
                    holder.loop().post(holder.group(), holder.slot(), failed);
                }
            }
        });
    }

    private void pull(Holder holder, Action.Pull pull) throws IOException {
        var known = applied.get().orElseThrow();
        var source = known.owner(pull.drive())
                .orElseThrow(() -> new StoreException.Unavailable("drive " + pull.drive() + " is nobody's"));
        var bucket = known.bucket(pull.key().bucketId())
                .orElseThrow(() -> new StoreException.Unavailable("the bucket is not known here"));
        var loop = holder.loop();
        var learning = pull.learning();
        var query = "group=%d&slot=%d&drive=%s&learner=%s&primary=%d&since=%d&incarnation=%d&bucket=%d&key=%s"
                .formatted(
                        holder.group(),
                        holder.slot(),
                        pull.drive(),
                        loop.id(),
                        learning.primarySince(),
                        learning.since(),
                        learning.incarnation(),
                        pull.key().bucketId(),
                        URLEncoder.encode(pull.key().key(), StandardCharsets.UTF_8));
        try (var answer = open(source, query)) {
            if (answer.isEmpty()) {
                loop.post(holder.group(), holder.slot(), new Event.Pulled(learning, pull.key(), Optional.empty()));
                return;
            }
            var record = answer.record();
            require(record, pull.key(), record.version());
            keep(loop, bucket, record, fetch -> fetch.take(answer.body(), store.smallLimit()));
            loop.run(() -> pulled(holder, learning, pull.key(), record.version()));
        }
    }

    private void pulled(Holder holder, Learning learning, ObjectKey key, ObjectVersion version) {
        var actions = holder.loop().handle(holder, new Event.Pulled(learning, key, Optional.of(version)));
        if (actions.stream().noneMatch(Action.StorePulled.class::isInstance)) {
            threads.execute(() -> staging.drop(holder.loop().id(), version));
        }
    }

    private Answer open(Node from, String query) throws IOException {
        var response = peers.open(PeerAddress.of(from), PeerPaths.REPLICA_CONTENT + "?" + query, Headers.EMPTY);
        return Answer.of(response, new SteadyBody(response.body(), PATIENCE, timer));
    }

    /// What waits is forgotten.
    @Override
    public void close() {
        rows.shutdownNow();
        timer.shutdownNow();
    }

    // ---- the source's side

    Response content(QueryParameters query) {
        var version = query.find("version");
        return version.isPresent() ? staged(version(version.get())) : row(query);
    }

    private static ObjectVersion version(String text) {
        int dash = text.indexOf('-');
        return new ObjectVersion(Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    private Response staged(ObjectVersion version) {
        var write = writes.pending(version)
                .orElseThrow(() -> new StoreException.Unavailable("the write is decided already"));
        var object = write.object().orElseThrow();
        var record = write.accepted().orElseThrow().record();
        return object.content()
                .map(content -> ContentSource.inMemory(record, content))
                .orElseGet(() -> ContentSource.staged(object.drive(), record, object.work()));
    }

    private Response row(QueryParameters query) {
        var loop = loops.apply(query.text("drive"))
                .orElseThrow(() -> new StoreException.Unavailable("the drive is not here"));
        var key = new ObjectKey(query.number("bucket"), query.text("key"));
        var bucket = applied.get()
                .flatMap(known -> known.bucket(key.bucketId()))
                .orElseThrow(() -> new StoreException.Unavailable("the bucket is not known here"));
        var learning = new Learning(query.number("primary"), query.number("since"), (int) query.number("incarnation"));
        var allowed = new CompletableFuture<Boolean>();
        var message = new Event.Received(query.text("learner"), new Message.AskRow(learning, key));
        int group = (int) query.number("group");
        int slot = (int) query.number("slot");
        loop.run(() -> allowed.complete(
                loop.handle(group, slot, message).stream().anyMatch(Action.SendRow.class::isInstance)));
        try {
            if (!allowed.get(SECONDS_FOR_THE_CORE, TimeUnit.SECONDS)) {
                throw new StoreException.Unavailable("this drive is not the source of that learner now");
            }
        } catch (TimeoutException | ExecutionException slow) {
            throw new StoreException.Unavailable("the drive does not answer now");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
        try (var _ = store.publishing().lock(key)) {
            return ContentSource.committed(loop.drive(), bucket.ref(), key.key());
        }
    }

    /// What came from another replica.
    private record Answer(Optional<ObjectRecord> found, InputStream body) implements AutoCloseable {
        static Answer of(HttpResponse<InputStream> response, InputStream body) throws IOException {
            boolean read = false;
            try {
                if (response.statusCode() != 200) {
                    throw new IOException("a replica answered " + response.statusCode());
                }
                long length = response.headers()
                        .firstValueAsLong(ContentSource.RECORD_HEADER)
                        .orElse(0);
                Optional<ObjectRecord> record = length == 0
                        ? Optional.empty()
                        : Optional.of(RecordBytes.decode(body.readNBytes(Math.toIntExact(length))));
                read = true;
                return new Answer(record, body);
            } finally {
                if (!read) {
                    body.close();
                }
            }
        }

        boolean isEmpty() {
            return found.isEmpty();
        }

        ObjectRecord record() throws IOException {
            return found.orElseThrow(() -> new IOException("the other replica has nothing"));
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }
}
