package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.concurrent.Await;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.pace.Throughput;
import dev.sluice.targetnode.storage.scrub.KnownBuckets;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings every key of a target to where it belongs after its drives, or a bucket's number of copies, have changed; and
/// those that a crash left notes of.
///
/// Several times a second it compares what is with what is to be: each drive that can be read is to have been looked at
/// ([DriveLook]) as it is open now and under the drive table of now. What is missing is begun, what belongs to a drive
/// or table of before is ended. When nothing is missing, the table is said to be settled. So a drive that goes out,
/// comes back, is added or replaced needs no step of its own.
///
/// To be closed before the drives are.
public final class Resilver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resilver.class);
    private static final Duration STEP = Duration.ofMillis(200);

    private final Tools tools;
    private final Question question;
    private final Clock ticks;
    private final Calm calm;
    private final Throughput speed;
    private final Thread thread;
    private final Map<String, DriveLook> looks = new ConcurrentHashMap<>();
    private final Map<String, Future<?>> running = new HashMap<>();
    private final Map<String, Patience> patience = new HashMap<>();
    private final Map<String, String> troubles = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile boolean stopped;
    private volatile boolean demanded;
    private volatile boolean runs;
    private volatile Optional<String> reason = Optional.of("it is just being started");
    private volatile Summary last = Summary.NONE;
    private volatile long finishedMillis;
    private boolean underWay;

    private Resilver(Tools tools, Settling settling) {
        this.tools = tools;
        this.ticks = tools.ticks();
        this.question = new Question(settling, ticks);
        this.calm = new Calm(tools.settings().grace());
        this.speed = new Throughput(ticks);
        this.thread = Thread.ofVirtual().name("resilver").unstarted(this::run);
    }

    public static Resilver start(
            Surroundings surroundings,
            Mover mover,
            Settling settling,
            KnownBuckets buckets,
            ResilverSettings settings) {
        return start(surroundings, mover, settling, buckets, settings, Clock.SYSTEM);
    }

    static Resilver start(
            Surroundings surroundings,
            Mover mover,
            Settling settling,
            KnownBuckets buckets,
            ResilverSettings settings,
            Clock ticks) {
        var threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("resilver-", 0).factory());
        var tools = new Tools(
                mover,
                buckets,
                surroundings,
                settings,
                ticks,
                threads,
                new Foreground(),
                new Failures(),
                new LongAdder(),
                new LongAdder());
        var resilver = new Resilver(tools, settling);
        resilver.thread.start();
        return resilver;
    }

    // ---- what an operator asks, on any thread

    /// Does it, and tells how things stand then.
    public ResilverStatus obey(ResilverCommand command) {
        switch (command) {
            case START -> {
                stopped = false;
                demanded = true;
                LockSupport.unpark(thread);
            }
            case STOP -> {
                stopped = true;
                demanded = false;
                looks.values().forEach(DriveLook::cancel);
                LockSupport.unpark(thread);
            }
            case STATUS -> {}
        }
        return status();
    }

    /// Objects moved since the start of this process.
    public long movedObjects() {
        return tools.movedObjects().sum();
    }

    public long movedBytes() {
        return tools.movedBytes().sum();
    }

    /// Objects that could not be moved when it was tried, since the start of this process.
    public long failuresInAll() {
        return tools.failures().inAll();
    }

    /// Keys that are still to be looked at.
    public long pending() {
        var now = Summary.of(looks.values());
        return tools.surroundings().table().isSettled() && !runs ? 0 : Math.max(0, now.keysAll() - now.keys());
    }

    private ResilverStatus status() {
        boolean settled = tools.surroundings().table().isSettled();
        var now = Summary.of(looks.values());
        var shown = now.begunMillis() > 0 ? now : last;
        var state = state(settled);
        boolean isRunning = state == ResilverStatus.State.RUNNING;
        return new ResilverStatus(
                state,
                settled,
                reason.filter(_ -> state == ResilverStatus.State.WAITING),
                shown.keys(),
                shown.keysAll(),
                shown.movedObjects(),
                shown.movedBytes(),
                isRunning ? speed.bytes() : 0,
                isRunning ? speed.secondsFor(Math.max(0, shown.workAll() - shown.work())) : Optional.empty(),
                shown.begunMillis(),
                finishedMillis,
                tools.failures().total(),
                tools.failures().latest());
    }

    private ResilverStatus.State state(boolean settled) {
        if (stopped) {
            return ResilverStatus.State.STOPPED;
        }
        if (runs || demanded) {
            return ResilverStatus.State.RUNNING;
        }
        return reason.isPresent() || !settled ? ResilverStatus.State.WAITING : ResilverStatus.State.IDLE;
    }

    // ---- its thread

    private void run() {
        while (!closed) {
            try {
                step();
            } catch (RuntimeException failure) {
                LOG.error("the resilver pauses", failure);
                reason = Optional.of(failure.toString());
            }
            ticks.pause(STEP.toNanos());
        }
    }

    private void step() {
        var table = tools.surroundings().table();
        var drives = tools.surroundings().readable();
        var fingerprint = Long.toString(table.version());
        takeEnded();
        forget(drives, fingerprint);
        if (stopped) {
            looks.values().forEach(DriveLook::cancel);
        } else {
            renew(table, drives, fingerprint);
            calm.see(List.of(drives.keySet(), fingerprint), ticks.nanos());
            obeyDemand(drives);
            goOn(table, drives, calm.hasCome(ticks.nanos()));
        }
        measure();
    }

    private void takeEnded() {
        for (var id : List.copyOf(running.keySet())) {
            if (Objects.requireNonNull(running.get(id)).isDone()) {
                running.remove(id);
                var look = looks.get(id);
                if (look == null || stopped || (look.isLoaded() && !(look.hasRun() && look.isDue()))) {
                    patience.remove(id);
                } else {
                    patience.merge(id, Patience.afterFirst(ticks.nanos()), (each, _) -> each.afterNext(ticks.nanos()));
                }
            }
        }
    }

    /// Ends what belongs to a drive or a table of before.
    private void forget(Map<String, Drive> drives, String fingerprint) {
        for (var id : List.copyOf(looks.keySet())) {
            var look = Objects.requireNonNull(looks.get(id));
            var drive = drives.get(id);
            if (drive == null || !look.isOf(drive, fingerprint)) {
                look.cancel();
                looks.remove(id);
                patience.remove(id);
                troubles.remove(id);
            }
        }
    }

    /// A drive is not looked at by two at once.
    private void renew(DriveTable table, Map<String, Drive> drives, String fingerprint) {
        drives.forEach((id, drive) -> {
            if (!running.containsKey(id) && !looks.containsKey(id)) {
                looks.put(id, new DriveLook(id, drive, table, fingerprint, tools));
            }
        });
    }

    private boolean isKnown(Map<String, Drive> drives) {
        return looks.keySet().equals(drives.keySet()) && looks.values().stream().allMatch(DriveLook::isLoaded);
    }

    private boolean isDue() {
        return looks.values().stream().anyMatch(look -> look.isLoaded() && look.isDue());
    }

    private void obeyDemand(Map<String, Drive> drives) {
        if (!demanded || !isKnown(drives)) {
            return;
        }
        patience.clear();
        question.askAgain();
        calm.enough();
        if (!isDue()) {
            tools.failures().clear();
            looks.values().forEach(DriveLook::demand);
        }
        begin();
        demanded = false;
    }

    /// What was begun under a table of before may still write by that one: nothing is looked at until it has ended, or
    /// the look might pass a key that is put astray afterwards.
    private void goOn(DriveTable table, Map<String, Drive> drives, boolean isCalm) {
        boolean ended = looks.keySet().containsAll(running.keySet());
        looks.forEach((id, look) -> {
            boolean now = !look.isLoaded() || (isCalm && ended && look.isDue());
            if (now && !running.containsKey(id) && isTime(id)) {
                if (look.isLoaded()) {
                    underWay = true;
                    begin();
                }
                look.resume();
                running.put(id, tools.threads().submit(() -> work(id, look)));
            }
        });
        if (!running.isEmpty()) {
            return;
        }
        if (isDue() && !isCalm) {
            reason = Optional.of("the drives have just changed");
        } else if (isDue() || !isKnown(drives)) {
            reason = Optional.of(whyNotAll());
        } else if (drives.isEmpty()) {
            reason = Optional.of("no drive can be read");
        } else {
            finish(table);
        }
    }

    private boolean isTime(String id) {
        var until = patience.get(id);
        return until == null || until.isOver(ticks.nanos());
    }

    private String whyNotAll() {
        return troubles.isEmpty()
                ? "%d objects could not be moved: tried again soon"
                        .formatted(tools.failures().total())
                : String.join("; ", troubles.values());
    }

    /// On a thread of its own.
    private void work(String id, DriveLook look) {
        Optional<String> trouble = Optional.empty();
        try {
            if (look.isLoaded()) {
                look.run();
            } else {
                look.load();
            }
        } catch (StoreException.Unavailable later) {
            trouble = Optional.of(String.valueOf(later.getMessage()));
        } catch (RejectedExecutionException _) {
            LOG.debug("the look at drive {} ends with the target", id);
        } catch (RuntimeException failure) {
            LOG.error("the look at drive {} pauses", id, failure);
            trouble = Optional.of(failure.toString());
        }
        trouble.ifPresentOrElse(why -> troubles.put(id, why), () -> troubles.remove(id));
    }

    /// Everything was looked at, and is where it belongs.
    private void finish(DriveTable table) {
        if (underWay) {
            underWay = false;
            last = Summary.of(looks.values());
            finishedMillis = ticks.millis();
            tools.failures().clear();
            LOG.info(
                    "all is looked at: {} keys on {} drives; {} objects of {} bytes were moved",
                    last.keys(),
                    looks.size(),
                    last.movedObjects(),
                    last.movedBytes());
        }
        reason = question.ask(table.version(), Set.copyOf(looks.keySet()));
    }

    /// Said before anything is moved, so that what is shown of that is never shown as waiting.
    private void begin() {
        if (!runs) {
            speed.begin(Summary.of(looks.values()).work(), tools.movedBytes().sum());
            runs = true;
        }
    }

    private void measure() {
        speed.at(Summary.of(looks.values()).work(), tools.movedBytes().sum());
        runs = !running.isEmpty() && runs;
    }

    /// Returns when nothing is moved any more.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        Await.end(thread);
        looks.values().forEach(DriveLook::cancel);
        tools.threads().shutdownNow();
        tools.threads().close();
    }
}
