package dev.sluice.targetnode.storage.eviction;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.change.KeyCommitter;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.health.DriveSlot;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps one drive below its high watermark, on a thread of its own: looks once a second, at once when a write asks,
/// and evicts until the low watermark. After a run that found too little to evict it leaves the drive alone for a
/// while, since each run reads the index.
///
/// The drive may go out at any time, and come back as another object: a run breaks off as soon as its drive does not
/// serve, and the next look takes the one that is there then. What a run still asks of a closed drive is refused by
/// the index and the committer.
public final class Evictor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration BETWEEN_RUNS = Duration.ofMillis(100);
    private static final Duration AFTER_TOO_LITTLE = Duration.ofSeconds(30);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private enum Outcome {
        ENOUGH(BETWEEN_RUNS),
        /// Some could go that are in use now.
        BUSY(LOOK),
        TOO_LITTLE(AFTER_TOO_LITTLE),
        FAILED(AFTER_FAILURE);

        private final Duration rest;

        Outcome(Duration rest) {
            this.rest = rest;
        }

        boolean hopeful() {
            return this == ENOUGH || this == BUSY;
        }
    }

    private final DriveSlot slot;
    private final KeyCommitter committer;
    private final CachedBuckets buckets;
    private final Semaphore woken = new Semaphore(0);
    private final DriveThread thread;
    private volatile EvictionStats stats;
    private volatile boolean resting;
    private volatile boolean closed;
    private final Map<Long, Long> restUntil = new HashMap<>();
    private boolean told;
    private Optional<Drive> adopted = Optional.empty();

    /// Begins at once.
    public Evictor(DriveSlot slot, KeyCommitter committer, CachedBuckets buckets) {
        this.slot = slot;
        this.committer = committer;
        this.buckets = buckets;
        this.stats = new EvictionStats(slot.id(), 0, 0, 0, 0, 0, 0, 0);
        this.thread = new DriveThread(this::run, slot.id() + "-evict");
        adopt();
        thread.start();
    }

    /// Looks which drive is open now. Writes without room wait for eviction from here on; so it is to be called before
    /// the drive serves. Never blocks.
    public synchronized void adopt() {
        var open = slot.open();
        if (!open.equals(adopted)) {
            adopted.ifPresent(gone -> gone.space().evicted(false));
            adopted = open;
            open.ifPresent(drive -> {
                resting = false;
                drive.space().evicted(true);
                drive.space().whenPressed(this::wake);
            });
        }
    }

    private boolean serves(Drive drive) {
        return drive.ready() && slot.status().state().writes() && slot.open().equals(Optional.of(drive));
    }

    public EvictionStats stats() {
        return stats;
    }

    private void wake() {
        if (!resting && woken.availablePermits() == 0) {
            woken.release();
        }
    }

    private void run() {
        var pause = LOOK;
        while (!closed) {
            try {
                if (woken.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    woken.drainPermits();
                }
                pause = closed ? LOOK : look();
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    /// @return how long to rest
    private Duration look() {
        adopt();
        resting = false;
        return slot.open().filter(this::serves).map(this::look).orElse(LOOK);
    }

    private Duration look(Drive drive) {
        long excess = drive.space().excess();
        if (excess == 0) {
            trim(drive);
            return LOOK;
        }
        var outcome = evict(drive, excess);
        resting = !outcome.hopeful();
        drive.space().evicted(outcome.hopeful());
        return outcome.rest;
    }

    private Outcome evict(Drive drive, long excess) {
        long start = System.nanoTime();
        var eviction = Eviction.forRoom(drive, committer, buckets, () -> closed || !serves(drive));
        try {
            var freed = eviction.run(excess);
            drive.space().refresh();
            var tooLittle = eviction.sparedSome() ? Outcome.BUSY : Outcome.TOO_LITTLE;
            boolean enough = freed.bytes() >= excess || drive.space().isRelieved();
            var outcome = enough ? Outcome.ENOUGH : tooLittle;
            stats = after(freed, excess, outcome);
            tell(eviction, excess, enough, Duration.ofNanos(System.nanoTime() - start));
            return outcome;
        } catch (IOException | RuntimeException failure) {
            stats = after(eviction.freed(), excess, Outcome.FAILED);
            tell(drive, failure);
            return Outcome.FAILED;
        }
    }

    private void tell(Drive drive, Exception failure) {
        if (failure instanceof StoreException.Unavailable || !serves(drive)) {
            LOG.info("drive {}: nothing is evicted now: {}", drive.id(), failure.getMessage());
        } else if (failure instanceof IOException) {
            drive.suspicion().add("eviction", failure);
        } else {
            LOG.error("drive {}: eviction broke off", drive.id(), failure);
        }
    }

    /// Buckets that have more than their quota, on a drive that has room.
    private void trim(Drive drive) {
        try {
            for (var each : buckets.tooLarge()) {
                var rest = restUntil.get(each.bucket().id());
                if (rest == null || each.knownAt() - rest > 0) {
                    restUntil.put(each.bucket().id(), System.nanoTime() + AFTER_FAILURE.toNanos());
                    long freed = trim(drive, each);
                    long pause = freed == 0 ? AFTER_TOO_LITTLE.toNanos() : 0;
                    restUntil.put(each.bucket().id(), System.nanoTime() + pause);
                }
            }
        } catch (StoreException.Unavailable _) {
            // this node knows no buckets yet, or the drive has just gone out: the next look is soon
        } catch (IOException | RuntimeException failure) {
            tell(drive, failure);
        }
    }

    private long trim(Drive drive, QuotaExcess trim) throws IOException {
        long bytes = drive.store().usages().of(trim.bucket().id()).bytes();
        var eviction = Eviction.of(drive, committer, trim.bucket(), () -> closed || !serves(drive));
        try {
            eviction.run(bytes - (long) (bytes * trim.keep()));
        } finally {
            var freed = eviction.freed();
            stats = stats.plus(freed);
            if (freed.objects() > 0) {
                LOG.info(
                        "drive {}: evicted {} copies, {} bytes, of {}, which is over its quota",
                        slot.id(),
                        freed.objects(),
                        freed.bytes(),
                        trim.bucket().name());
            }
        }
        return eviction.freed().bytes();
    }

    private EvictionStats after(Eviction.Freed freed, long excess, Outcome outcome) {
        return new EvictionStats(
                stats.drive(),
                stats.objects() + freed.objects(),
                stats.bytes() + freed.bytes(),
                stats.enough() + (outcome == Outcome.ENOUGH ? 1 : 0),
                stats.busy() + (outcome == Outcome.BUSY ? 1 : 0),
                stats.tooLittle() + (outcome == Outcome.TOO_LITTLE ? 1 : 0),
                stats.failed() + (outcome == Outcome.FAILED ? 1 : 0),
                outcome == Outcome.ENOUGH ? 0 : Math.max(0, excess - freed.bytes()));
    }

    private void tell(Eviction eviction, long excess, boolean enough, Duration took) {
        var freed = eviction.freed();
        if (enough) {
            LOG.info("drive {}: evicted {} copies, {} bytes, in {}", slot.id(), freed.objects(), freed.bytes(), took);
            told = false;
        } else if (eviction.sparedSome()) {
            LOG.info("drive {}: evicted {} of {} bytes, the rest is in use", slot.id(), freed.bytes(), excess);
        } else if (!told || freed.objects() > 0) {
            LOG.warn(
                    "drive {} is too full: {} bytes should go, but only {} could: the rest is not in a cloud too, or pinned",
                    slot.id(),
                    excess,
                    freed.bytes());
            told = true;
        }
    }

    /// Waits until the run under way, if any, has broken off.
    @Override
    public void close() {
        closed = true;
        woken.release();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
