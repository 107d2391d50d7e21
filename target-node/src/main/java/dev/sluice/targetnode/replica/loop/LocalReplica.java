package dev.sluice.targetnode.replica.loop;

import dev.sluice.targetnode.replica.core.Copying;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.Serving;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/// One slot of a group on one drive of this target. All but [#serves] is for the drive's loop.
public final class LocalReplica {
    private final DriveReplicas loop;
    private final int group;
    private final int slot;
    private final SlotCore core;
    private boolean standIn;
    private int losses;
    private volatile long copied;
    private volatile Optional<Copying> copying = Optional.empty();
    private final AtomicInteger waitingPulls = new AtomicInteger();
    private long nextTick;
    private CompletableFuture<Void> changes = CompletableFuture.completedFuture(null);

    public LocalReplica(DriveReplicas loop, int group, int slot, SlotCore core) {
        this.loop = loop;
        this.group = group;
        this.slot = slot;
        this.core = core;
    }

    public DriveReplicas loop() {
        return loop;
    }

    public int group() {
        return group;
    }

    public int slot() {
        return slot;
    }

    public SlotCore core() {
        return core;
    }

    public Serving serving() {
        return core.serving();
    }

    /// Whether so many members are in-sync that a write is acknowledged. On any thread.
    boolean hasEnoughInSync(BucketRef bucket) {
        return bucket.minInSync() <= (bucket.code().isPresent() ? core.positions() : core.inSync());
    }

    /// Whether this drive still serves the slot in the primacy of this term, and may now. A new epoch of the same
    /// primacy changes nothing. On any thread.
    public boolean serves(Serving term) {
        var now = core.serving();
        return term.open() && now.open() && now.primarySince() == term.primarySince() && loop.leased();
    }

    /// Whether this drive is a learner only because a target is down for a while: it takes writes, and copies nothing.
    public boolean isStandIn() {
        return standIn;
    }

    public void standIn(boolean is) {
        standIn = is;
    }

    /// How many members more the slot can lose with those that are there, as far as its row was told here.
    public int losses() {
        return losses;
    }

    public void losses(int members) {
        losses = members;
    }

    /// When something of what this drive copies came last, of [System#nanoTime]. On any thread.
    public long copied() {
        return copied;
    }

    public void copied(long now) {
        copied = now;
    }

    /// A row is to be pulled when there is a thread for it. On any thread.
    public void pullWaits() {
        waitingPulls.incrementAndGet();
    }

    public void pullBegins() {
        waitingPulls.decrementAndGet();
    }

    boolean waitsForPulls() {
        return waitingPulls.get() > 0;
    }

    /// What is copied now: a pull for something else is not wanted any more. On any thread.
    public boolean copies(Learning learning) {
        return copying.filter(now -> now.learning().equals(learning)).isPresent();
    }

    public boolean copiesSomething() {
        return copying.isPresent();
    }

    public void copying(Optional<Copying> now) {
        copying = now;
    }

    /// When what is unanswered is sent again, in nanoseconds of the loop's clock.
    long nextTick() {
        return nextTick;
    }

    void nextTick(long at) {
        nextTick = at;
    }

    /// The end of the change of the drive that was begun last for this slot.
    public CompletableFuture<Void> changes() {
        return changes;
    }

    public void changing(CompletableFuture<Void> next) {
        changes = next;
    }
}
