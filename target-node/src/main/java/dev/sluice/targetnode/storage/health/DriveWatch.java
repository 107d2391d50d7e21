package dev.sluice.targetnode.storage.health;

import dev.sluice.targetnode.storage.drive.Committer;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Suspicion;
import dev.sluice.targetnode.storage.files.DriveThread;
import dev.sluice.targetnode.storage.files.DriveThreads;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches one drive, and is the only one that changes its state.
///
/// A failure after which memory and drive may differ (a sync, a commit, a damaged index) takes the drive out at once;
/// any other error starts a probe, and the probe decides. A drive that goes out is closed, so that it can be
/// unmounted, and comes back after some sound probes in a row by being opened again: nothing is trusted that was in
/// memory before. States change under this object's lock; whatever waits for the drive runs on the watch's own thread,
/// one thing after the other, and a probe on a second one, so that a drive that stands still can be told from others.
public final class DriveWatch implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(DriveWatch.class);

    private final Attachment attachment;
    private final HealthSettings settings;
    private final Committer.Alone whenKnown;
    private final Consumer<Drive> whenGone;
    private final DriveSlot slot;
    private final Probe probe;
    private final DriveThreads probing;
    private final ScheduledThreadPoolExecutor steps;
    private final AtomicBoolean probeWanted = new AtomicBoolean();
    private CompletableFuture<ProbeResult> running = CompletableFuture.completedFuture(ProbeResult.SOUND);
    private volatile long probedAt = System.nanoTime();
    private int soundInRow;
    private int replacedInRow;
    private int generation; // of the drive that is open; what an older one tells does not count
    private boolean newIndex;
    private volatile boolean begun;

    /// Begins to watch a drive that is attached.
    ///
    /// @param whenKnown run in each start, when the drive's contents are known
    /// @param whenGone run when a drive is about to be closed
    /// @param state `STARTING` when it is to be opened by [#openFirst], else `OFFLINE` or `DISABLED`
    /// @param reason for the state
    public DriveWatch(
            Attachment attachment,
            HealthSettings settings,
            Committer.Alone whenKnown,
            Consumer<Drive> whenGone,
            DriveState state,
            String reason) {
        this.attachment = attachment;
        this.settings = settings;
        this.whenKnown = whenKnown;
        this.whenGone = whenGone;
        this.slot = new DriveSlot(attachment, state, reason);
        this.begun = state != DriveState.STARTING;
        this.probe = new Probe(attachment);
        this.probing = new DriveThreads(attachment.id() + "-probe", 1, 1);
        this.steps = new ScheduledThreadPoolExecutor(1, work -> new DriveThread(work, attachment.id() + "-health"));
        steps.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        long every = settings.every().toNanos();
        var _ = steps.scheduleWithFixedDelay(guarded(this::look), every, every, TimeUnit.NANOSECONDS);
    }

    /// A step that fails is told of, and does not end the watch.
    private Runnable guarded(Runnable step) {
        return () -> {
            try {
                step.run();
            } catch (RuntimeException failure) {
                LOG.error("watching drive {}", slot.id(), failure);
            }
        };
    }

    public DriveSlot slot() {
        return slot;
    }

    /// Whether the first start is over, however it ended: the state says how.
    public boolean begun() {
        return begun;
    }

    // ---- the first start

    /// Opens the drive, on a drive thread; when it cannot be opened it is out.
    public synchronized void openFirst() {
        try {
            slot.set(DriveState.STARTING, "", Optional.of(opened()));
        } catch (IOException failure) {
            slot.set(DriveState.OFFLINE, "it cannot be opened: " + failure.getMessage(), Optional.empty());
            begun = true;
            release();
        }
    }

    /// @return completes when the drive serves, or with why it does not, and is out then
    public CompletableFuture<Void> startFirst() {
        return start(slot.open().orElseThrow());
    }

    private Drive opened() throws IOException {
        int current;
        boolean fromFiles;
        synchronized (this) {
            current = ++generation;
            fromFiles = newIndex;
        }
        var mark = attachment.keptWrites();
        Optional<Drive> drive = Optional.empty();
        try {
            var suspicion = new Suspicion(slot.id(), mark, (weight, what) -> failed(current, weight, what));
            drive = Optional.of(attachment.open(suspicion, fromFiles));
            return drive.get();
        } finally {
            if (drive.isEmpty()) {
                mark.remove();
            }
        }
    }

    private CompletableFuture<Void> start(Drive drive) {
        return drive.start(whenKnown).whenComplete((_, failure) -> started(drive, Optional.ofNullable(failure)));
    }

    private synchronized void started(Drive drive, Optional<Throwable> failure) {
        if (slot.status().state() != DriveState.STARTING || !slot.open().equals(Optional.of(drive))) {
            return; // it was disabled or closed meanwhile
        }
        if (failure.isPresent()) {
            leave(DriveState.OFFLINE, "it cannot be started: " + failure.get().getMessage(), false);
        } else {
            newIndex = false;
            slot.set(DriveState.ONLINE, "", Optional.of(drive));
        }
        begun = true;
    }

    // ---- failures

    private void failed(int from, Suspicion.Weight weight, String what) {
        slot.countError(what);
        synchronized (this) {
            if (from != generation) {
                return;
            }
            newIndex |= weight == Suspicion.Weight.INDEX_DAMAGED;
            if (slot.status().state().reads()) {
                switch (weight) {
                    case UNKNOWN_OUTCOME, INDEX_DAMAGED -> leave(DriveState.OFFLINE, what, false);
                    case ERROR -> wantProbe();
                }
            }
        }
    }

    /// However many errors there are, one probe is waiting at most.
    private void wantProbe() {
        if (probeWanted.compareAndSet(false, true)) {
            long wait = probedAt + settings.gap().toNanos() - System.nanoTime();
            try {
                var _ = steps.schedule(guarded(this::probeAfterError), Math.max(0, wait), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException _) {
                LOG.debug("drive {} is being closed", slot.id());
            }
        }
    }

    private void probeAfterError() {
        probeWanted.set(false);
        if (slot.status().state().reads()) {
            judge(await(probe::run));
        }
    }

    private synchronized void judge(ProbeResult verdict) {
        var state = slot.status().state();
        if (!state.reads()) {
            return;
        }
        switch (verdict.kind()) {
            case SOUND -> LOG.info("drive {} is probed and sound", slot.id());
            case ONLY_READS -> {
                soundInRow = 0;
                slot.open().ifPresent(Drive::freeze);
                slot.set(DriveState.READ_ONLY, verdict.reason(), slot.open());
            }
            case FAILED, REPLACED -> {
                leave(DriveState.OFFLINE, verdict.reason(), false);
                replacedInRow = 0;
                lookSoon();
            }
        }
    }

    private void lookSoon() {
        try {
            var _ = steps.schedule(guarded(this::look), settings.gap().toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            LOG.debug("drive {} is being closed", slot.id());
        }
    }

    /// Never a second probe beside one that has not ended.
    private ProbeResult await(DriveThreads.Work<ProbeResult> work) {
        slot.countProbe();
        if (running.isDone()) {
            running = probing.start(work);
        }
        try {
            return running.get(settings.patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            return ProbeResult.failed("it does not answer a probe within " + settings.patience());
        } catch (ExecutionException failure) {
            return ProbeResult.failed("a probe failed: " + failure.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return ProbeResult.failed("the watch ends");
        } finally {
            probedAt = System.nanoTime();
        }
    }

    // ---- going and coming back

    /// From this moment nobody gets anything of the drive; it is closed on the watch's thread.
    private void leave(DriveState state, String reason, boolean inOrder) {
        var drive = slot.open();
        drive.ifPresent(Drive::retire);
        generation++;
        soundInRow = 0;
        slot.set(state, reason, Optional.empty());
        drive.ifPresent(gone -> steps.execute(guarded(() -> dispose(gone, inOrder))));
    }

    private void dispose(Drive drive, boolean inOrder) {
        try {
            whenGone.accept(drive);
            if (inOrder) {
                drive.close();
            } else {
                drive.abandon();
            }
        } catch (RuntimeException failure) {
            LOG.warn("drive {}: closing what is left of it", slot.id(), failure);
        }
        release();
    }

    private void release() {
        try {
            attachment.release();
        } catch (IOException failure) {
            LOG.warn("drive {}: giving its lock back", slot.id(), failure);
        }
    }

    private void look() {
        switch (slot.status().state()) {
            case ONLINE -> judgeLook(await(probe::look));
            case READ_ONLY, OFFLINE -> judgeReturn(await(probe::run));
            case STARTING, DISABLED -> {}
        }
    }

    private void judgeLook(ProbeResult verdict) {
        if (verdict.kind() == ProbeResult.Kind.FAILED || verdict.kind() == ProbeResult.Kind.REPLACED) {
            slot.countError(verdict.reason());
            judge(verdict);
        }
    }

    private void judgeReturn(ProbeResult verdict) {
        boolean returns;
        synchronized (this) {
            var state = slot.status().state();
            if (state != DriveState.OFFLINE && state != DriveState.READ_ONLY) {
                return;
            }
            soundInRow = verdict.kind() == ProbeResult.Kind.SOUND ? soundInRow + 1 : 0;
            returns = soundInRow >= settings.soundProbes();
            if (state == DriveState.READ_ONLY
                    && (verdict.kind() == ProbeResult.Kind.FAILED || verdict.kind() == ProbeResult.Kind.REPLACED)) {
                leave(DriveState.OFFLINE, verdict.reason(), false);
            } else if (verdict.kind() != ProbeResult.Kind.SOUND) {
                slot.set(state, verdict.reason(), slot.open());
            }
        }
        if (returns) {
            comeBack();
        } else if (slot.status().state() == DriveState.OFFLINE) {
            judgeReplacement(verdict.kind() == ProbeResult.Kind.REPLACED);
        }
    }

    /// A new drive is taken when it is seen twice: somebody may just be moving things.
    private void judgeReplacement(boolean replaced) {
        replacedInRow = replaced ? replacedInRow + 1 : 0;
        if (replacedInRow == 1) {
            lookSoon();
        } else if (replacedInRow > 1) {
            attachment.takeReplacement();
        }
    }

    /// Closes what may be open and opens the drive again. On the watch's thread.
    private void comeBack() {
        Optional<Drive> before;
        synchronized (this) {
            var state = slot.status().state();
            if (state != DriveState.OFFLINE && state != DriveState.READ_ONLY) {
                return; // disabled meanwhile
            }
            before = slot.open();
            before.ifPresent(Drive::retire);
            generation++;
            soundInRow = 0;
            slot.set(DriveState.STARTING, "it is being opened again", Optional.empty());
        }
        before.ifPresent(drive -> dispose(drive, false));
        try {
            attachment.takeAgain();
            openAgain();
        } catch (IOException | RuntimeException failure) {
            notBack(String.valueOf(failure.getMessage()));
        }
    }

    private void openAgain() throws IOException {
        var drive = opened();
        boolean wanted;
        synchronized (this) {
            wanted = slot.status().state() == DriveState.STARTING;
            if (wanted) {
                slot.set(DriveState.STARTING, slot.status().reason(), Optional.of(drive));
            }
        }
        if (wanted) {
            var _ = start(drive);
        } else {
            dispose(drive, false); // disabled meanwhile
        }
    }

    private synchronized void notBack(String why) {
        release();
        if (slot.status().state() == DriveState.STARTING) {
            slot.set(DriveState.OFFLINE, why, Optional.empty());
        }
    }

    // ---- the operator

    /// Takes the drive out of use until [#enable].
    public synchronized void disable() {
        if (slot.status().state() != DriveState.DISABLED) {
            leave(DriveState.DISABLED, "disabled by an operator", true);
        }
        begun = true;
    }

    /// Takes a disabled drive into use again, or tries at once one that is out.
    public void enable() {
        synchronized (this) {
            if (slot.status().state() == DriveState.DISABLED) {
                slot.set(DriveState.OFFLINE, "enabled by an operator, and not probed yet", Optional.empty());
            }
        }
        steps.execute(guarded(this::tryNow));
    }

    private void tryNow() {
        var state = slot.status().state();
        if (state != DriveState.OFFLINE && state != DriveState.READ_ONLY) {
            return;
        }
        var verdict = await(probe::run);
        if (verdict.kind() == ProbeResult.Kind.SOUND && slot.status().state() == state) {
            comeBack();
        } else {
            judgeReturn(verdict);
        }
    }

    /// Ends the watch, and closes the drive in order, after whatever the watch has begun.
    @Override
    public void close() {
        try {
            steps.submit(guarded(this::end)).get();
            steps.submit(() -> {}).get(); // after what was begun while that waited for its turn
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
        steps.shutdownNow();
        probing.close();
    }

    private void end() {
        Optional<Drive> last;
        synchronized (this) {
            last = slot.open();
            generation++;
            slot.set(DriveState.DISABLED, "the target stops", Optional.empty());
        }
        last.ifPresent(this::disposeAtEnd);
    }

    private void disposeAtEnd(Drive drive) {
        try {
            whenGone.accept(drive);
            drive.close();
            attachment.releaseAtEnd();
        } catch (IOException | RuntimeException failure) {
            drive.keptWrites().remove();
            LOG.warn("drive {}: closing it at the end", slot.id(), failure);
        }
        release();
    }
}
