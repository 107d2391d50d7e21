package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The look at one drive, as it is open now, under one table: first its notes, then every key of its index in order.
/// Where it stands is kept in the index every few seconds, and never ahead of a key that is not done yet.
///
/// Keys of replicated buckets are passed by, wherever they are: the table of slots says where they belong.
///
/// A key that fails is passed by. When all were looked at, only those are tried again, or all when they are too many
/// to be known by name.
final class DriveLook {
    private static final Logger LOG = LoggerFactory.getLogger(DriveLook.class);
    private static final Duration SAVE_EVERY = Duration.ofSeconds(5);
    private static final int AT_ONCE = 256;
    private static final int AHEAD = 1024;

    private final String id;
    private final Drive drive;
    private final DriveTable table;
    private final String fingerprint;
    private final Tools tools;
    private final Bringing bringing;
    private final Strangers strangers;
    private final Deque<Pending> pending = new ArrayDeque<>();
    private final Map<ObjectKey, BucketRef> failed = new LinkedHashMap<>();
    private boolean tooManyFailed;
    private long savedAt;
    private volatile Position at = Position.NONE;
    private volatile boolean loaded;
    private volatile boolean noted;
    private volatile boolean hasRun;
    private volatile boolean cancelled;

    /// A key that was looked at, but not counted yet, since one before it is on its way.
    ///
    /// @param entry empty when it was counted before
    private record Pending(Optional<Entry> entry, Optional<Moving> moving) {
        boolean isOver() {
            return moving.isEmpty() || moving.get().written.isDone();
        }
    }

    private record Moving(ObjectKey name, BucketRef bucket, CompletableFuture<Optional<Long>> written) {}

    DriveLook(String id, Drive drive, DriveTable table, String fingerprint, Tools tools) {
        this.id = id;
        this.drive = drive;
        this.table = table;
        this.fingerprint = fingerprint;
        this.tools = tools;
        this.bringing = new Bringing(id, tools, () -> !cancelled);
        this.strangers = new Strangers(id, tools.buckets());
        this.savedAt = tools.ticks().nanos();
    }

    // ---- on any thread

    boolean isOf(Drive other, String otherFingerprint) {
        return drive == other && fingerprint.equals(otherFingerprint);
    }

    Position at() {
        return at;
    }

    long keysAll() {
        return drive.store().totals().objects();
    }

    long bytesAll() {
        return drive.store().totals().bytes();
    }

    boolean isLoaded() {
        return loaded;
    }

    /// Whether there is something to do.
    boolean isDue() {
        return noted || (at.isBegun() ? !at.isDone() : !table.isSettled());
    }

    /// Whether it was tried to do what was due.
    boolean hasRun() {
        return hasRun;
    }

    /// Ends it soon.
    void cancel() {
        cancelled = true;
    }

    // ---- on one thread at a time

    /// It may go on after a stop.
    void resume() {
        cancelled = false;
    }

    /// Everything is to be looked at again.
    void demand() {
        noted = true;
        begin();
    }

    private void begin() {
        at = Position.begun(fingerprint, tools.ticks().millis());
        tooManyFailed = false;
        failed.clear();
    }

    /// Reads how far it was, by this process or the one before.
    void load() {
        var stored =
                drive.call(() -> drive.marks().cameLate(table.version()) ? Position.NONE : Position.readFrom(drive));
        at = stored.fingerprint().equals(fingerprint) ? stored : Position.NONE;
        tooManyFailed = at.failed();
        noted = NotedKeys.areOn(drive);
        loaded = true;
    }

    /// Does what is due, as far as it can be done now.
    void run() {
        hasRun = true;
        try {
            if (noted) {
                noted = !new NotedKeys(drive, table, tools.surroundings(), bringing, strangers).bringAll();
            }
            if (!at.isBegun() && !table.isSettled()) {
                begin();
            }
            if (at.isBegun() && !at.isDone()) {
                goOn();
            }
        } catch (NotWanted _) {
            LOG.debug("the look at drive {} ends at {}", id, at);
        } finally {
            awaitPending();
            save();
        }
    }

    private void goOn() {
        if (at.ended()) {
            if (!tooManyFailed) {
                tryAgain();
                return;
            }
            begin();
        }
        lookAtAll();
        awaitPending();
        requireWanted();
        at = at.atEnd();
    }

    private void lookAtAll() {
        var from = at.keys() == 0 ? new byte[0] : after(at.bucketId(), at.key());
        for (var batch = entriesFrom(from); !batch.isEmpty(); batch = entriesFrom(from)) {
            strangers.refresh();
            var astray = new Astray(id, table, tools.surroundings().readable()).among(batch);
            for (var entry : batch) {
                var bucket = astray.contains(entry.name())
                        ? strangers.bucket(entry.name().bucketId()).filter(BucketRef::isLocal)
                        : Optional.<BucketRef>empty();
                follow(Optional.of(entry), bucket.map(known -> start(known, entry.name(), entry.size())));
            }
            var last = batch.getLast().name();
            from = after(last.bucketId(), last.key());
        }
    }

    private static byte[] after(long bucketId, String key) {
        return IndexKeys.after(IndexKeys.object(bucketId, key));
    }

    private List<Entry> entriesFrom(byte[] from) {
        return drive.call(() -> {
            var entries = new ArrayList<Entry>();
            drive.store().scan(from, (key, value) -> {
                entries.add(Entry.of(key, value));
                return entries.size() < AT_ONCE;
            });
            return entries;
        });
    }

    /// Each stays among the failed ones until it is where it belongs: what is kept of the position says so meanwhile.
    private void tryAgain() {
        for (var each : Map.copyOf(failed).entrySet()) {
            follow(Optional.empty(), Optional.of(start(each.getValue(), each.getKey(), 0)));
        }
        awaitPending();
    }

    // ---- keys on their way

    private Moving start(BucketRef bucket, ObjectKey name, long size) {
        return new Moving(name, bucket, bringing.start(bucket, name, size, Astray.holders(table, name)));
    }

    private void follow(Optional<Entry> entry, Optional<Moving> moving) {
        pending.add(new Pending(entry, moving));
        while (pending.size() > AHEAD
                || (!pending.isEmpty() && pending.element().isOver())) {
            takeFirst();
        }
        requireWanted();
        saveNowAndThen();
    }

    private void takeFirst() {
        var first = pending.remove();
        var moving = first.moving();
        if (moving.isPresent()) {
            var written = moving.get().written().join();
            if (written.isEmpty() && cancelled && first.entry().isPresent()) {
                forgetPending(); // perhaps it failed only for that, so the place stays before it
                return;
            }
            at = at.moved(written.orElse(0L));
            failed.remove(moving.get().name());
            if (written.isEmpty()) {
                fail(moving.get().name(), moving.get().bucket());
            }
        }
        first.entry().ifPresent(entry -> at = at.looked(entry.name(), entry.size()));
    }

    private void forgetPending() {
        pending.forEach(
                each -> each.moving().ifPresent(moving -> moving.written().join()));
        pending.clear();
    }

    private void fail(ObjectKey name, BucketRef bucket) {
        if (failed.size() < Failures.KEPT) {
            failed.put(name, bucket);
        } else {
            tooManyFailed = true;
        }
    }

    private void awaitPending() {
        while (!pending.isEmpty()) {
            takeFirst();
        }
    }

    private void requireWanted() {
        if (cancelled) {
            throw new NotWanted();
        }
    }

    // ---- where it stands

    private void saveNowAndThen() {
        if (tools.ticks().nanos() - savedAt > SAVE_EVERY.toNanos()) {
            save();
        }
    }

    /// As far as the drive can keep it.
    private void save() {
        savedAt = tools.ticks().nanos();
        at = at.failed(tooManyFailed || !failed.isEmpty());
        if (!at.isBegun() || !drive.serves()) {
            return;
        }
        var now = at;
        try {
            Await.whole(drive.startStep(() -> now.writeTo(drive)));
        } catch (StoreException gone) {
            LOG.debug("drive {} does not keep where the resilver is", id, gone);
        }
    }
}
