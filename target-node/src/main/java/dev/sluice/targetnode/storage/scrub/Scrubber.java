package dev.sluice.targetnode.storage.scrub;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.DriveStore;
import dev.sluice.targetnode.storage.drive.Totals;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import dev.sluice.targetnode.storage.pace.Throughput;
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
/// read and compared ([ObjectVerifier]), then the files, whether the index knows them ([OrphanWalk]).
///
/// Where it stands is kept in the index every few seconds, so a restart goes on there, and so does the return
/// of a drive that was out. A drive that ceases to serve is let go at the next step, with nothing written to
/// it. Nothing is ever deleted but a copy of what a cloud has.
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

    private final Scrubs.Member place;
    private final KeyCommitter committer;
    private final ScrubSettings settings;
    private final KnownBuckets buckets;
    private final Repair repair;
    private final ExecutorService repairs;
    private final Clock ticks;
    private final Set<Long> strangers = new HashSet<>(); // buckets that are in no table
    private final Throughput speed;
    private final Thread thread;
    private volatile Optional<Opened> opened = Optional.empty();
    private volatile Checkpoint now = Checkpoint.NEVER;
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();
    private final LongAdder readInAll = new LongAdder();
    private long reading;
    private long savedAt;

    /// What belongs to one opening of the drive.
    private final class Opened {
        private final Drive drive;
        private final DriveStore store;
        private final ScrubState memory;
        private final Findings findings = new Findings();
        private final RateLimiter pace;
        private final ObjectCheck objects;
        private final OrphanWalk orphans;

        Opened(Drive drive) {
            this.drive = drive;
            this.store = drive.store();
            this.memory = new ScrubState(drive.marks());
            this.pace = new RateLimiter(ticks, drive::waiting);
            var examination = new ObjectVerifier(store, committer.publishing(), bytes -> beforeReading(this, bytes));
            var treatment = new DamageRepair(drive, committer, repair, repairs, () -> requireWanted(this));
            this.objects = new ObjectCheck(drive, examination, treatment, findings, ticks);
            this.orphans = new OrphanWalk(store, committer.publishing(), buckets, new Walking(this), ticks);
        }
    }

    Scrubber(
            Scrubs.Member place,
            KeyCommitter committer,
            ScrubSettings settings,
            KnownBuckets buckets,
            Repair repair,
            ExecutorService repairs,
            Clock ticks) {
        this.place = place;
        this.committer = committer;
        this.settings = settings;
        this.buckets = buckets;
        this.repair = repair;
        this.repairs = repairs;
        this.ticks = ticks;
        this.speed = new Throughput(ticks);
        this.thread = new DriveThread(this::run, place.id() + "-scrub");
    }

    void start() {
        thread.start();
    }

    // ---- what an operator asks, on any thread

    /// Begins a pass, or goes on with the one under way, at this rate.
    ///
    /// @param rate in bytes a second; 0: no limit
    /// @return false when the drive is not ready
    synchronized boolean demand(long rate) {
        if (!isLoaded()) {
            return false;
        }
        now = now.demanded(rate);
        if (now.phase() == Checkpoint.Phase.NONE) {
            now = now.begun(ticks.millis());
        }
        LockSupport.unpark(thread);
        return true;
    }

    /// @return false when the drive is not ready
    synchronized boolean stop() {
        if (!isLoaded()) {
            return false;
        }
        now = now.stopping();
        LockSupport.unpark(thread);
        return true;
    }

    /// Whether the position is the one of the drive that serves now.
    private boolean isLoaded() {
        boolean loaded = opened.isPresent() && opened.get().drive.serves();
        if (!loaded) {
            LockSupport.unpark(thread); // it may be back, and the thread in a long pause
        }
        return loaded;
    }

    String path() {
        return place.path();
    }

    String driveId() {
        return place.id();
    }

    /// Bytes read since the start of this process.
    long readInAll() {
        return readInAll.sum();
    }

    DriveScrub status() {
        var at = now;
        var from = opened;
        var why = trouble();
        var totals = from.map(each -> each.store.totals()).orElse(Totals.NONE);
        boolean runs = at.running() && why.isEmpty();
        long left = Math.max(0, work(totals.objects(), totals.bytes()) - work(at.objects(), at.bytes()));
        return new DriveScrub(
                place.id(),
                place.path(),
                state(at, why),
                why,
                at.objects(),
                totals.objects(),
                at.bytes(),
                totals.bytes(),
                runs ? speed.bytes() : 0,
                runs ? speed.secondsFor(left) : Optional.empty(),
                at.begunMillis(),
                at.finishedMillis(),
                next(at),
                from.map(each -> each.findings.total()).orElse(0L),
                from.map(each -> each.findings.latest()).orElse(List.of()));
    }

    private Optional<String> trouble() {
        try {
            var _ = place.drive().get();
            return isLoaded() ? trouble : Optional.of("the drive is just being opened");
        } catch (StoreException.Unavailable notServing) {
            return Optional.of(String.valueOf(notServing.getMessage()));
        }
    }

    private DriveScrub.State state(Checkpoint at, Optional<String> why) {
        if (place.disabled().getAsBoolean()) {
            return DriveScrub.State.DISABLED;
        }
        if (at.stopped()) {
            return DriveScrub.State.STOPPED;
        }
        if (why.isPresent()) {
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
            var pause = step();
            if (!closed) { // a word that came during the step may have ended a shorter pause in it
                ticks.pause(pause.toNanos());
            }
        }
        step(); // which stores where it stands
    }

    /// @return how long to wait for the next one
    private Duration step() {
        try {
            var drive = place.drive().get();
            if (!drive.enter()) {
                return TRY_AGAIN;
            }
            try {
                return visit(drive);
            } finally {
                drive.leave();
            }
        } catch (StoreException.Unavailable later) {
            trouble = Optional.of(String.valueOf(later.getMessage()));
            return TRY_AGAIN;
        }
    }

    private Duration visit(Drive drive) {
        try {
            var on = opened(drive);
            try {
                beginIfDue();
                if (now.running()) {
                    save(on); // that there is a pass, should the drive go before the next time
                    speed.begin(work(now.objects(), now.bytes()), now.bytes());
                    pass(on);
                }
            } catch (Cancelled _) {
                LOG.debug("the scrub of drive {} stops", drive.id());
            }
            if (drive.serves()) {
                save(on);
            }
            trouble = Optional.empty();
            return idle();
        } catch (IOException | StoreException.DriveFailed failure) {
            if (drive.serves() && failure instanceof IOException) { // of the other the drive has told
                drive.suspicion().add("scrub", failure);
            }
            return paused(drive, failure);
        } catch (StoreException.Unavailable later) {
            throw later;
        } catch (RuntimeException failure) {
            return paused(drive, failure);
        }
    }

    private Duration paused(Drive drive, Exception failure) {
        LOG.error("the scrub of drive {} pauses", drive.id(), failure);
        trouble = Optional.of(failure.toString());
        return drive.serves() ? AFTER_FAILURE : TRY_AGAIN;
    }

    /// A drive that was opened again tells where the scrub stands; what memory says is of the one before.
    private synchronized Opened opened(Drive drive) throws IOException {
        if (opened.isPresent() && opened.get().drive == drive) {
            return opened.get();
        }
        var on = new Opened(drive);
        now = on.memory.position();
        on.memory.loadInto(on.findings);
        strangers.clear();
        opened = Optional.of(on);
        return on;
    }

    private synchronized void beginIfDue() {
        var due = next(now);
        if (due.isPresent() && due.get() <= ticks.millis()) {
            now = now.begun(ticks.millis());
        }
    }

    private Duration idle() {
        if (now.running()) {
            return TRY_AGAIN; // by an operator's word of this moment, or the drive goes
        }
        var due = next(now).map(at -> Duration.ofMillis(Math.max(1, at - ticks.millis())));
        return due.isPresent() && due.get().compareTo(IDLE) < 0 ? due.get() : IDLE;
    }

    private void pass(Opened on) throws IOException {
        if (now.phase() == Checkpoint.Phase.OBJECTS) {
            for (var keys = next(on); !keys.isEmpty(); keys = next(on)) {
                for (var key : keys) {
                    check(on, key);
                }
            }
            strangers.clear();
            advance(Checkpoint::onToFiles);
        }
        on.orphans.run(now.at());
        on.drive.requireThere();
        on.findings.passEnded(now.begunMillis());
        advance(at -> at.finished(ticks.millis()));
        LOG.info(
                "drive {} is scrubbed: {} objects, {} bytes, {} findings",
                place.id(),
                now.objects(),
                now.bytes(),
                on.findings.total());
    }

    /// A step of the thread must not undo what an operator said meanwhile.
    private synchronized void advance(UnaryOperator<Checkpoint> step) {
        now = step.apply(now);
    }

    private List<ObjectKey> next(Opened on) throws IOException {
        requireWanted(on);
        var from = now.objects() == 0 && now.at().isEmpty()
                ? new byte[0]
                : IndexKeys.after(IndexKeys.object(now.bucketId(), now.at()));
        var keys = new ArrayList<ObjectKey>();
        on.store.scan(from, (key, _) -> {
            keys.add(new ObjectKey(IndexKeys.number(key), IndexKeys.keyOf(key)));
            return keys.size() < AT_ONCE;
        });
        return keys;
    }

    private void check(Opened on, ObjectKey key) throws IOException {
        reading = 0;
        await(on, EACH);
        var bucket = strangers.contains(key.bucketId()) ? Optional.<BucketRef>empty() : buckets.withId(key.bucketId());
        if (bucket.isPresent()) {
            on.objects.check(bucket.get(), key.key());
        } else if (strangers.add(key.bucketId())) {
            LOG.warn("drive {} has objects of bucket {}, which is in no table", place.id(), key.bucketId());
        }
        long read = reading;
        reading = 0;
        advance(at -> at.checked(key, read));
        speed.at(work(now.objects(), now.bytes()), now.bytes());
    }

    private void beforeReading(Opened on, int bytes) throws IOException {
        await(on, bytes);
        reading += bytes;
        readInAll.add(bytes);
    }

    private void await(Opened on, long work) throws IOException {
        requireWanted(on);
        var totals = on.store.totals();
        long rate = now.demanded() ? now.rate() : settings.rate(work(totals.objects(), totals.bytes()));
        on.pace.await(work, rate, () -> isWanted(on));
        requireWanted(on);
        if (ticks.nanos() - savedAt > SAVE_EVERY.toNanos()) {
            save(on);
        }
    }

    private boolean isWanted(Opened on) {
        return !closed && now.running() && on.drive.serves();
    }

    private void requireWanted(Opened on) {
        if (!isWanted(on)) {
            throw new Cancelled();
        }
        trouble = Optional.empty();
    }

    private final class Walking implements OrphanWalk.Visitor {
        private final Opened on;

        Walking(Opened on) {
            this.on = on;
        }

        @Override
        public void before() throws IOException {
            await(on, FILE);
        }

        @Override
        public void within() {
            requireWanted(on);
        }

        @Override
        public void orphan(ScrubFinding finding) {
            LOG.warn("scrub of drive {}: {}: {}", place.id(), finding.path(), finding.why());
            on.findings.add(finding);
        }

        @Override
        public void looked(String file) {
            advance(at -> at.looked(file));
        }
    }

    private void save(Opened on) throws IOException {
        savedAt = ticks.nanos();
        on.memory.store(now, on.findings);
    }

    /// Returns when the thread touches the drive no more.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        Await.end(thread);
    }
}
