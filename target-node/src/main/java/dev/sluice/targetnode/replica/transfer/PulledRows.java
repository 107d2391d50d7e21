package dev.sluice.targetnode.replica.transfer;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.LocalChanges;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.replica.loop.Staging;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.slices.SliceSources;
import dev.sluice.targetnode.replica.slices.SliceStream;
import dev.sluice.targetnode.storage.record.ObjectRecord;
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
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rows that learners lack: their records from their sources, and their bytes with them or, where members have slices,
/// from whoever has the same slice or others.
public final class PulledRows implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PulledRows.class);
    private static final int AT_ONCE = 16;
    private static final Duration LOOK = Duration.ofMillis(100);

    private final ReplicaParts parts;
    private final ContentTransfer transfer;
    private final Consumer<Command.TakeOff> leave;
    private final StuckRows stuck = new StuckRows();
    private final LongAdder bytes = new LongAdder();
    private final ExecutorService rows = Executors.newFixedThreadPool(
            AT_ONCE, Thread.ofVirtual().name("pull-", 0).factory());

    /// @param leave proposes that a learner leaves its slot
    public PulledRows(ReplicaParts parts, ContentTransfer transfer, Consumer<Command.TakeOff> leave) {
        this.parts = parts;
        this.transfer = transfer;
        this.leave = leave;
    }

    /// How many came.
    public long bytes() {
        return bytes.sum();
    }

    /// How many rows do not come.
    public long stuck() {
        return stuck.count();
    }

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
                stuck.came(replica, pull.key());
            } catch (StoreException.NoSpace refused) {
                LOG.debug("a row did not fit", refused);
                stuck.failed(replica, pull.key(), refused);
                leaveIfFull(replica);
            } catch (IOException | StoreException failure) {
                LOG.debug("a row did not come", failure);
                stuck.failed(replica, pull.key(), failure);
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
        try (var answer = transfer.open(source, query)) {
            if (answer.isEmpty()) {
                loop.postCopied(
                        replica.group(), replica.slot(), new Event.Pulled(learning, pull.key(), Optional.empty()));
                return;
            }
            var record = answer.record();
            ContentTransfer.require(record, pull.key(), record.version());
            if (record.slice().isPresent()) {
                takeSlice(replica, pull, bucket, record.at(pull.position()));
            } else {
                take(replica, pull, bucket, record, answer.body());
            }
        }
    }

    /// Where all members together cannot make the bytes, the record alone: the others can be promoted then, and the
    /// object is known to be damaged.
    private void takeSlice(LocalReplica replica, Action.Pull pull, LocalChanges.KnownBucket bucket, ObjectRecord record)
            throws IOException {
        var drive = replica.loop().drive();
        var sources = new SliceSources(parts, bucket.ref(), pull.key(), record.version(), () -> {});
        try (var slice = new SliceStream(sources, record)) {
            take(replica, pull, bucket, record, slice);
        } catch (StoreException.Damaged lost) {
            LOG.error("drive {} takes the record without bytes: {}", drive.id(), lost.getMessage());
            take(replica, pull, bucket, record.at(Slice.NONE), InputStream.nullInputStream());
        }
    }

    private void take(
            LocalReplica replica,
            Action.Pull pull,
            LocalChanges.KnownBucket bucket,
            ObjectRecord record,
            InputStream from)
            throws IOException {
        var loop = replica.loop();
        loop.drive().space().requireFitsReplica(record.fileSize());
        var body = noting(replica, from);
        var kept = transfer.keep(
                loop,
                bucket,
                record,
                fetch -> fetch.take(body, record, parts.store().smallLimit()));
        var row = Optional.of(new Slice(record.version(), record.position()));
        var handedIn = new CompletableFuture<Boolean>();
        loop.runCopying(() -> {
            pulled(replica, new Event.Pulled(pull.learning(), pull.key(), row), kept);
            handedIn.complete(true);
        });
        await(handedIn, loop);
    }

    /// A thread brings no other row before this one is handed in: else many would wait with their bytes.
    private static void await(CompletableFuture<Boolean> handedIn, DriveReplicas loop) {
        while (!handedIn.isDone() && !loop.isClosed()) {
            var _ = Await.within(LOOK, handedIn);
        }
    }

    /// A large object takes long, and keeps its slot's turn while its bytes come.
    private InputStream noting(LocalReplica replica, InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int count = super.read(into, offset, length);
                replica.copied(System.nanoTime());
                bytes.add(Math.max(0, count));
                return count;
            }
        };
    }

    private void pulled(LocalReplica replica, Event.Pulled pulled, Staging.Bytes kept) {
        var actions = replica.loop().handle(replica, pulled);
        if (actions.stream().noneMatch(Action.StorePulled.class::isInstance)) {
            parts.staging().drop(replica.loop(), pulled.row().orElseThrow(), kept);
        }
    }

    /// What waits is forgotten.
    @Override
    public void close() {
        rows.shutdownNow();
    }
}
