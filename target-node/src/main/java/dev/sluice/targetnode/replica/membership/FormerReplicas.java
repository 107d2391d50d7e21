package dev.sluice.targetnode.replica.membership;

import dev.sluice.common.cluster.slots.Group;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Event;
import dev.sluice.targetnode.replica.loop.AppliedState;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.loop.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Takes from one drive what it has of slots in which it has no part any more: their rows, bytes and open intents. For
/// each such slot it waits until the slot has been whole without the drive for ten minutes on end, and takes a page at
/// a time, between what else the drive's loop does. All but [#look] is for the drive's loop.
public final class FormerReplicas {
    /// A drive that comes back before has only to catch up.
    public static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final int LOOKS = 60; // while it waits

    private static final Duration PAGE_EVERY = Duration.ofSeconds(1);

    /// Rows and intents, from one look to the next.
    private static final int ENOUGH = 500;

    /// For how long it keeps the loop.
    private static final Duration STEP = Duration.ofMillis(5);

    private final DriveReplicas loop;
    private final Supplier<Optional<AppliedState>> shown;
    private final LongSupplier nanos;
    private final Duration patience;
    private final LongConsumer purged;

    /// Of [#look].
    private long lookAt;

    private volatile boolean purging;
    private int ordered;

    /// Whether its next step waits in the loop.
    private boolean goesOn;

    /// Since when each has had no part; removed when it has one again, or nothing is left.
    private final Map<LocalReplica, Long> since = new HashMap<>();

    /// @param shown the newest state that the loops were told, or are being told
    /// @param purged told how many rows go
    public FormerReplicas(
            DriveReplicas loop,
            Supplier<Optional<AppliedState>> shown,
            LongSupplier nanos,
            Duration patience,
            LongConsumer purged) {
        this.loop = loop;
        this.shown = shown;
        this.nanos = nanos;
        this.patience = patience;
        this.purged = purged;
        this.lookAt = nanos.getAsLong();
    }

    /// Often, on one thread. Never blocks.
    public void look() {
        long now = nanos.getAsLong();
        if (now - lookAt >= 0) {
            lookAt = now + (purging ? PAGE_EVERY : patience.dividedBy(LOOKS)).toNanos();
            loop.runCopying(() -> shown.get().ifPresent(this::look));
        }
    }

    private void look(AppliedState state) {
        var replication = state.state().replication();
        long now = nanos.getAsLong();
        for (var group : replication.groups().values()) {
            for (int slot = 0; slot < group.slots(); slot++) {
                var row = state.row(group.id(), slot).orElseThrow();
                if (row.member(loop.id()).isEmpty()) {
                    follow(loop.replica(group.id(), slot), row, isWhole(row, group, replication), now);
                }
            }
        }
        since.keySet().removeIf(replica -> !replica.core().hasNoPart());
        purging = since.values().stream().anyMatch(each -> now - each >= patience.toNanos());
        ordered = 0;
        if (!goesOn) {
            purgeSome();
        }
    }

    /// A row that changes without the drive is told to its members only.
    private void follow(LocalReplica replica, SlotRow row, boolean whole, long now) {
        if (replica.core().epoch() < row.epoch()
                || (row.opened() && !replica.core().hasNoPart())) {
            loop.handle(replica, new Event.RowApplied(row, false));
        }
        if (!whole || !replica.core().hasNoPart() || replica.core().epoch() != row.epoch()) {
            since.remove(replica);
        } else if (!replica.core().isPurged()) {
            since.putIfAbsent(replica, now);
        }
    }

    private static boolean isWhole(SlotRow row, Group group, Replication replication) {
        var usable = row.inSync().stream()
                .filter(member -> replication.usable(member.drive()))
                .toList();
        return group.count(usable) >= group.replicas();
    }

    /// Some pages of slots. The rest comes after what else the loop has to do, or, when enough was ordered or nothing
    /// may be done now, at the next look.
    private void purgeSome() {
        goesOn = false;
        long began = System.nanoTime();
        long now = nanos.getAsLong();
        for (var replica : since.entrySet().stream()
                .filter(each -> now - each.getValue() >= patience.toNanos()
                        && each.getKey().changes().isDone())
                .map(Map.Entry::getKey)
                .toList()) {
            if (ordered >= ENOUGH || !loop.leased()) {
                return;
            }
            purge(replica);
            if (System.nanoTime() - began > STEP.toNanos()) {
                goesOn = true;
                loop.runCopying(this::purgeSome);
                return;
            }
        }
    }

    private void purge(LocalReplica replica) {
        var orders = loop.handle(replica, new Event.Purge());
        ordered += orders.size();
        purged.accept(orders.stream().filter(Action.DeleteRow.class::isInstance).count());
        if (replica.core().isPurged()) {
            since.remove(replica);
        }
    }
}
