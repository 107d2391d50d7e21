package dev.sluice.targetnode.storage.health;

import dev.sluice.common.placement.Slot;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.spread.Copies;
import dev.sluice.targetnode.storage.spread.DriveTable;
import dev.sluice.targetnode.storage.spread.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The drives of a target as its objects see them: those of a key, or all.
public final class Drives {
    private static final Duration PATIENCE = Duration.ofMillis(50);

    private final Supplier<List<DriveSlot>> members;
    private final Supplier<DriveTable> table;
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    private final Map<Spread, Integer> uploads = new ConcurrentHashMap<>();
    private final Map<ObjectKey, Stray> strays = new ConcurrentHashMap<>();
    private final AtomicLong strayed = new AtomicLong();
    private volatile boolean crashed;

    /// @param members all drives of the target, whether they are there or not
    public Drives(Supplier<List<DriveSlot>> members, Supplier<DriveTable> table) {
        this.members = members;
        this.table = table;
    }

    public DriveTable table() {
        return table.get();
    }

    public List<DriveSlot> slots() {
        return members.get();
    }

    private static Optional<DriveSlot> named(String id, List<DriveSlot> slots) {
        for (var slot : slots) {
            if (slot.id().equals(id)) {
                return Optional.of(slot);
            }
        }
        return Optional.empty();
    }

    // ---- the drives of a key

    public Whereabouts of(BucketRef bucket, String key) {
        return of(bucket.id(), key);
    }

    public Whereabouts of(long bucketId, String key) {
        var now = table.get();
        var slots = members.get();
        int slot = Slot.of(bucketId, key);
        var copies = now.copies(bucketId);
        var holders = new ArrayList<DriveSnapshot>(copies.wanted());
        for (var id : now.current().holders(slot, copies.wanted())) {
            holders.add(named(id, slots)
                    .map(DriveSlot::now)
                    .orElseThrow(() -> new StoreException.Unavailable("the target's drives are just being changed")));
        }
        if (isEven(now, copies)) {
            return new Whereabouts(now.current(), holders, List.of(), List.of(), List.of(), Optional.empty());
        }
        var firsts = new ArrayList<List<String>>();
        var others = new LinkedHashSet<String>();
        var seen = new ArrayList<Spread>();
        for (var spread : now.spreads()) {
            others.addAll(spread.holders(slot, copies.most()));
            var first = spread.holders(slot, copies.least()).stream()
                    .filter(id -> now.members().containsKey(id))
                    .toList();
            if (!first.isEmpty()) { // else what only they had was given up
                firsts.add(first);
                seen.add(spread);
            }
        }
        holders.forEach(holder -> others.remove(holder.id()));
        var elsewhere = others.stream()
                .flatMap(id -> named(id, slots).stream())
                .map(DriveSlot::now)
                .toList();
        var ahead =
                Optional.ofNullable(strays.get(new ObjectKey(bucketId, key))).flatMap(stray -> stray.aheadIn(now));
        return new Whereabouts(now.current(), holders, elsewhere, seen, firsts, ahead);
    }

    /// Whether the copies of each key of a bucket are the same, and where they belong.
    public boolean isEven(long bucketId) {
        var now = table.get();
        return isEven(now, now.copies(bucketId));
    }

    private boolean isEven(DriveTable now, Copies copies) {
        return now.earlier().isEmpty() && copies.isSettled() && (copies.wanted() == 1 || !mayDiffer());
    }

    // ---- all drives

    /// The drives to look at for something of a bucket that may be on any of them.
    ///
    /// @throws StoreException.Unavailable when some of it may be on drives that cannot be read only
    public List<Drive> allToRead(long bucketId) {
        var now = table.get();
        var readable = reading();
        requireAll(readable, now, now.copies(bucketId).least());
        requireAhead(readable, now, bucketId);
        return readable;
    }

    private void requireAhead(List<Drive> asked, DriveTable now, long bucketId) {
        var ids = ids(asked);
        for (var stray : strays.values()) {
            if (stray.bucket.id() == bucketId) {
                stray.aheadIn(now).filter(ahead -> ahead.isMissedBy(ids)).ifPresent(ahead -> {
                    throw new StoreException.Unavailable(onlyOn(ahead.drives()));
                });
            }
        }
    }

    static String onlyOn(Collection<String> drives) {
        return "it may be on " + String.join(" or ", drives) + ", which cannot be read now";
    }

    /// The same for what every drive has alone.
    public List<Drive> allToRead() {
        var readable = reading();
        requireAll(readable);
        return readable;
    }

    /// What was asked of some drives, and what every drive has alone, is nowhere else.
    ///
    /// @throws StoreException.Unavailable when it may be on drives that were not asked
    public void requireAll(Collection<Drive> asked) {
        requireAll(asked, table.get(), 1);
    }

    private static void requireAll(Collection<Drive> asked, DriveTable now, int least) {
        var ids = ids(asked);
        for (var spread : now.spreads()) {
            var missing = spread.weights().keySet().stream()
                    .filter(id -> !ids.contains(id) && now.members().containsKey(id))
                    .toList();
            long given = spread.weights().keySet().stream()
                    .filter(id -> !now.members().containsKey(id))
                    .count();
            if (!missing.isEmpty() && missing.size() + given >= Math.min(least, spread.size())) {
                throw new StoreException.Unavailable("drive " + String.join(" and ", missing)
                        + (missing.size() == 1 ? " is" : " are") + " not there, and what only "
                        + (missing.size() == 1 ? "it has" : "they have") + " cannot be known");
            }
        }
    }

    /// @throws StoreException.Unavailable unless each of them takes writes
    public List<Drive> allToWrite() {
        return slots().stream().map(DriveSlot::toWrite).toList();
    }

    /// Those that take writes now.
    public List<Drive> serving() {
        return slots().stream().flatMap(slot -> slot.writable().stream()).toList();
    }

    /// Those that can be read now.
    public List<Drive> reading() {
        return slots().stream().flatMap(slot -> slot.readable().stream()).toList();
    }

    static Set<String> ids(Collection<Drive> drives) {
        return drives.stream().map(Drive::id).collect(Collectors.toSet());
    }

    // ---- what must not happen at the same time

    /// To be held from the moment a change looks where its key belongs until it is done.
    public interface Pass extends AutoCloseable {
        @Override
        void close();
    }

    public Pass changing() {
        gate.readLock().lock();
        return gate.readLock()::unlock;
    }

    /// Work during which no change is under way. Changes that begin meanwhile wait, so it must be short.
    ///
    /// @return empty when those that are under way take too long to wait for
    public <T> Optional<T> alone(Supplier<T> work) {
        try {
            if (!gate.writeLock().tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        try {
            return Optional.of(work.get());
        } finally {
            gate.writeLock().unlock();
        }
    }

    /// An object begins to be written to the drives of a spread, which is not forgotten before it [#ended].
    public void began(Spread spread) {
        uploads.merge(spread, 1, Integer::sum);
    }

    public void ended(Spread spread) {
        uploads.computeIfPresent(spread, (_, count) -> count == 1 ? null : count - 1);
    }

    /// How many objects are being written to the drives of earlier spreads.
    public int late() {
        var current = table.get().current();
        return uploads.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(current))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    /// Takes care that what was written to the drives of a spread is found there, and has the copies it is to have: one
    /// more would be found by nobody, and come back when the others are deleted.
    ///
    /// @throws StoreException.Unavailable when the drives, or the number of copies, were changed too much meanwhile
    public void requireKnown(Spread spread, long bucketId, String key, int copies) {
        var now = table.get();
        int wanted = now.copies(bucketId).wanted();
        if (!now.spreads().contains(spread)
                || spread.holders(Slot.of(bucketId, key), wanted).size() != copies) {
            throw new StoreException.Unavailable("the target's drives were changed while the object was written");
        }
    }

    // ---- keys whose copies may differ

    /// A change of a key reached some of its drives and not others, or reached drives that it does not belong on any
    /// more: from now on copies are compared before one is believed, until this one was brought where it belongs.
    ///
    /// @param ahead empty if the change is no newer than what the others have, or reached none
    public void strays(BucketRef bucket, String key, Optional<Ahead> ahead) {
        var now = new Stray(bucket, strayed.incrementAndGet(), ahead);
        strays.merge(
                new ObjectKey(bucket.id(), key),
                now,
                (before, _) -> ahead.isEmpty() ? new Stray(bucket, now.number, before.ahead) : now);
    }

    /// A newer change of a key reached all of its drives.
    public void agree(ObjectKey key) {
        strays.remove(key);
    }

    /// A crash may have come between the drives of a change: some drive has notes.
    public void crashed() {
        crashed = true;
    }

    public void mended() {
        crashed = false;
    }

    public boolean mayDiffer() {
        return crashed || !strays.isEmpty();
    }

    /// One of the times a key strayed.
    ///
    /// @param ahead the newest that only some of its drives have
    public record Stray(BucketRef bucket, long number, Optional<Ahead> ahead) {
        private Optional<Ahead> aheadIn(DriveTable table) {
            return ahead.flatMap(change -> change.among(table.members().keySet()));
        }
    }

    /// Those that are to be brought where they belong, and then [#found].
    public Map<ObjectKey, Stray> strays() {
        return Map.copyOf(strays);
    }

    /// @param stray the time it was brought after
    public void found(ObjectKey key, Stray stray) {
        strays.remove(key, stray);
    }

    /// The ids of members whose copies by some earlier spread cannot be moved now.
    public Set<String> missed() {
        var writable = ids(serving());
        var missed = new TreeSet<String>();
        var now = table.get();
        now.earlier()
                .forEach(spread -> spread.weights().keySet().stream()
                        .filter(id -> now.members().containsKey(id))
                        .filter(id -> !writable.contains(id))
                        .forEach(missed::add));
        return missed;
    }
}
