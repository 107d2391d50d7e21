package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.Shelf;
import dev.sluice.targetnode.storage.drive.Contents;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Scrubs one drive, on a thread of its own: pass after pass, first the objects in the order of the index's keys, each
/// read and compared ([Examination]), then the files, whether the index knows them ([OrphanWalk]).
///
/// Where it stands is kept in the index every few seconds, so a restart goes on there. Nothing is ever deleted but a
/// copy of what a cloud has.
final class Scrubber implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);
    private static final Duration SAVE_EVERY = Duration.ofSeconds(5);
    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final Duration TRY_AGAIN = Duration.ofMillis(500);
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);
    private static final int AT_ONCE = 64;
    /// What an object costs besides its bytes: opening it, and the way to it.
    private static final long EACH = 64 << 10;
    /// What it costs to ask the index for a file.
    private static final long FILE = 4 << 10;

    private final Drive drive;
    private final String path;
    private final ScrubSettings settings;
    private final KnownBuckets buckets;
    private final Ticks ticks;
    private final Contents contents;
    private final Pace pace;
    private final ObjectCheck objects;
    private final OrphanWalk orphans;
    private final Memory memory;
    private final Findings findings = new Findings();
    private final Set<Long> strangers = new HashSet<>(); // buckets that are in no table
    private final Speed speed;
    private final Thread thread;
    private volatile Checkpoint now = Checkpoint.NEVER;
    private volatile boolean loaded;
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();
    private final LongAdder readInAll = new LongAdder();
    private long reading;
    private long savedAt;

    Scrubber(
            Drive drive,
            String path,
            Shelf shelf,
            ScrubSettings settings,
            KnownBuckets buckets,
            Repair repair,
            ExecutorService repairs,
            Ticks ticks) {
        this.drive = drive;
        this.path = path;
        this.settings = settings;
        this.buckets = buckets;
        this.ticks = ticks;
        this.contents = drive.contents();
        this.memory = new Memory(contents.index());
        this.pace = new Pace(ticks, drive::waiting);
        var examination = new Examination(contents, shelf.publishing(), this::beforeReading);
        var treatment = new Treatment(drive, shelf, repair, repairs, this::requireWanted);
        this.objects = new ObjectCheck(drive, examination, treatment, findings, ticks);
        this.orphans = new OrphanWalk(contents, shelf.publishing(), buckets, new Walking(), ticks);
        this.speed = new Speed(ticks);
        this.thread = new DriveThread(this::run, drive.id() + "-scrub");
    }

    void start() {
        thread.start();
    }

    // ---- what an operator asks, on any thread

    /// Begins a pass, or goes on with the one under way, at this rate.
    ///
    /// @param rate in bytes a second; 0: no limit
    synchronized void demand(long rate) {
        requireLoaded();
        now = now.demanded(rate);
        if (now.phase() == Checkpoint.Phase.NONE) {
            now = now.begun(ticks.millis());
        }
        LockSupport.unpark(thread);
    }

    synchronized void stop() {
        requireLoaded();
        now = now.stopping();
        LockSupport.unpark(thread);
    }

    private void requireLoaded() {
        if (!loaded) {
            throw new StoreException.Unavailable("drive %s is not ready".formatted(path));
        }
    }

    String path() {
        return path;
    }

    String driveId() {
        return drive.id();
    }

    /// Bytes read since the start of this process.
    long readInAll() {
        return readInAll.sum();
    }

    DriveScrub status() {
        var at = now;
        var totals = contents.totals();
        boolean runs = at.running() && trouble.isEmpty();
        long left = Math.max(0, work(totals.objects(), totals.bytes()) - work(at.objects(), at.bytes()));
        return new DriveScrub(
                drive.id(),
                path,
                state(at),
                trouble,
                at.objects(),
                totals.objects(),
                at.bytes(),
                totals.bytes(),
                runs ? speed.bytes() : 0,
                runs ? speed.secondsFor(left) : Optional.empty(),
                at.begunMillis(),
                at.finishedMillis(),
                next(at),
                findings.total(),
                findings.latest());
    }

    private DriveScrub.State state(Checkpoint at) {
        if (at.stopped()) {
            return DriveScrub.State.STOPPED;
        }
        if (!loaded || trouble.isPresent()) {
            return DriveScrub.State.WAITING;
        }
        return at.running() ? DriveScrub.State.RUNNING : DriveScrub.State.IDLE;
    }

    private Optional<Long> next(Checkpoint at) {
        return settings.scheduled() && !at.stopped() && !at.running()
                ? Optional.of(at.begunMillis() + settings.period().toMillis())
                : Optional.empty();
    }

    private static long work(long objects, long bytes) {
        return bytes + objects * (EACH + FILE);
    }

    // ---- its thread

    private void run() {
        while (!closed) {
            try {
                drive.requireReady();
                if (!loaded) {
                    load();
                }
                beginIfDue();
                if (now.running()) {
                    speed.begin(work(now.objects(), now.bytes()), now.bytes());
                    pass();
                }
                save();
                trouble = Optional.empty();
                ticks.pause(idle().toNanos());
            } catch (Stopped _) {
                saveIfPossible();
            } catch (StoreException.Unavailable later) {
                trouble = Optional.of(String.valueOf(later.getMessage()));
                ticks.pause(TRY_AGAIN.toNanos());
            } catch (IOException | RuntimeException failure) {
                LOG.error("the scrub of drive {} pauses", drive.id(), failure);
                trouble = Optional.of(failure.toString());
                ticks.pause(AFTER_FAILURE.toNanos());
            }
        }
        saveIfPossible();
    }

    private void load() throws IOException {
        now = memory.position();
        memory.loadInto(findings);
        loaded = true;
    }

    private synchronized void beginIfDue() {
        var due = next(now);
        if (due.isPresent() && due.get() <= ticks.millis()) {
            now = now.begun(ticks.millis());
        }
    }

    private Duration idle() {
        var due = next(now).map(at -> Duration.ofMillis(Math.max(1, at - ticks.millis())));
        return due.isPresent() && due.get().compareTo(IDLE) < 0 ? due.get() : IDLE;
    }

    private void pass() throws IOException {
        if (now.phase() == Checkpoint.Phase.OBJECTS) {
            for (var keys = next(); !keys.isEmpty(); keys = next()) {
                for (var key : keys) {
                    check(key);
                }
            }
            strangers.clear();
            advance(Checkpoint::onToFiles);
        }
        orphans.run(now.at());
        findings.passEnded(now.begunMillis());
        advance(at -> at.finished(ticks.millis()));
        LOG.info(
                "drive {} is scrubbed: {} objects, {} bytes, {} findings",
                drive.id(),
                now.objects(),
                now.bytes(),
                findings.total());
    }

    /// A step of the thread must not undo what an operator said meanwhile.
    private synchronized void advance(UnaryOperator<Checkpoint> step) {
        now = step.apply(now);
    }

    private List<ObjectKey> next() throws IOException {
        var from = now.objects() == 0 && now.at().isEmpty()
                ? new byte[0]
                : IndexKeys.after(IndexKeys.object(now.bucketId(), now.at()));
        var keys = new ArrayList<ObjectKey>();
        contents.index().scan(Table.OBJECTS, from, (key, _) -> {
            keys.add(new ObjectKey(IndexKeys.number(key), IndexKeys.keyOf(key)));
            return keys.size() < AT_ONCE;
        });
        return keys;
    }

    private void check(ObjectKey key) throws IOException {
        reading = 0;
        await(EACH);
        var bucket = strangers.contains(key.bucketId()) ? Optional.<BucketRef>empty() : buckets.withId(key.bucketId());
        if (bucket.isPresent()) {
            objects.check(bucket.get(), key.key());
        } else if (strangers.add(key.bucketId())) {
            LOG.warn("drive {} has objects of bucket {}, which is in no table", drive.id(), key.bucketId());
        }
        long read = reading;
        reading = 0;
        advance(at -> at.checked(key, read));
        speed.at(work(now.objects(), now.bytes()), now.bytes());
    }

    private void beforeReading(int bytes) throws IOException {
        await(bytes);
        reading += bytes;
        readInAll.add(bytes);
    }

    private void await(long work) throws IOException {
        requireWanted();
        var totals = contents.totals();
        long rate = now.demanded() ? now.rate() : settings.rate(work(totals.objects(), totals.bytes()));
        pace.await(work, rate, () -> !closed && now.running());
        requireWanted();
        if (ticks.nanos() - savedAt > SAVE_EVERY.toNanos()) {
            save();
        }
    }

    private void requireWanted() {
        if (closed || !now.running()) {
            throw new Stopped();
        }
        drive.requireReady();
        trouble = Optional.empty();
    }

    private final class Walking implements OrphanWalk.Visitor {
        @Override
        public void before() throws IOException {
            await(FILE);
        }

        @Override
        public void orphan(ScrubFinding finding) {
            LOG.warn("scrub of drive {}: {}: {}", drive.id(), finding.path(), finding.why());
            findings.add(finding);
        }

        @Override
        public void looked(String file) {
            advance(at -> at.looked(file));
        }
    }

    private void save() throws IOException {
        savedAt = ticks.nanos();
        memory.store(now, findings);
    }

    private void saveIfPossible() {
        try {
            if (loaded) {
                save();
            }
        } catch (IOException failure) {
            LOG.warn("where the scrub of drive {} stands could not be stored", drive.id(), failure);
        }
    }

    /// Returns when the thread touches the drive no more.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
