package dev.sluice.targetnode.storage.spread;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The drives of a target, and over which of them its keys are spread: each key's copies belong on the first drives
/// of its rendezvous ranking over the *current* spread. An *earlier* spread is one under which keys may have been
/// written that were not moved since; when there is none, each key is where it belongs.
///
/// A spread is a set of drives that took writes together. So a drive that goes out leaves the current spread before a
/// write without it is acknowledged, and a copy on a drive that was not in a spread may be older than one that was.
///
/// @param version greater with every change
/// @param formedWeight what the target's drives weighed together when they were first attached: its share of the
///     cluster's objects, whatever becomes of its drives
/// @param members by id
/// @param current the drives that take writes
/// @param earlier never `current`; drives that are members no more stay in them, for the sake of the ranking
/// @param copies by bucket id; a bucket that is not named has one
/// @param detached where drives were that an operator detached: not to be attached again only because they
///     are configured
public record DriveTable(
        long version,
        long formedWeight,
        SortedMap<String, Member> members,
        Spread current,
        Set<Spread> earlier,
        SortedMap<Long, Copies> copies,
        SortedSet<String> detached) {
    public DriveTable {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        earlier = Set.copyOf(earlier);
        copies = Collections.unmodifiableSortedMap(new TreeMap<>(copies));
        detached = Collections.unmodifiableSortedSet(new TreeSet<>(detached));
    }

    /// The table of a new target.
    public static DriveTable of(Map<String, Member> members) {
        var weights = new HashMap<String, Long>();
        members.forEach((id, member) -> weights.put(id, member.weight()));
        return new DriveTable(
                1,
                weights.values().stream().mapToLong(Long::longValue).sum(),
                new TreeMap<>(members),
                new Spread(weights),
                Set.of(),
                new TreeMap<>(),
                new TreeSet<>());
    }

    /// The same with another version.
    public DriveTable numbered(long newVersion) {
        return new DriveTable(newVersion, formedWeight, members, current, earlier, copies, detached);
    }

    /// Whether each key is where it belongs, in as many copies as are wanted.
    public boolean isSettled() {
        return earlier.isEmpty()
                && copies.values().stream().allMatch(Copies::isSettled)
                && members.values().stream().noneMatch(Member::leaving);
    }

    public Copies copies(long bucketId) {
        return copies.getOrDefault(bucketId, Copies.ONE);
    }

    /// Whether new versions of a bucket's keys belong on the same drives by another table.
    public boolean placesLike(DriveTable other, long bucketId) {
        return current.equals(other.current)
                && copies(bucketId).wanted() == other.copies(bucketId).wanted();
    }

    /// The current spread first.
    public List<Spread> spreads() {
        var all = new ArrayList<Spread>();
        all.add(current);
        all.addAll(earlier);
        return all;
    }

    // ---- what happens to drives

    /// A drive takes writes no more. The last one stays: without it there is nowhere to write to.
    public DriveTable without(String id) {
        return current.has(id) && current.size() > 1 ? over(current.without(id)) : this;
    }

    /// A drive of the target takes writes again.
    public DriveTable withBack(String id) {
        var member = members.get(id);
        return member == null || member.leaving() || member.disabled() || current.has(id)
                ? this
                : over(current.with(id, member.weight()));
    }

    private DriveTable over(Spread next) {
        var before = new HashSet<>(earlier);
        before.add(current);
        before.remove(next);
        return new DriveTable(version + 1, formedWeight, members, next, before, copies, detached);
    }

    // ---- what operators do

    /// A new drive, which takes writes from now on.
    public DriveTable attaching(String id, Member member) {
        if (members.containsKey(id)) {
            throw new IllegalArgumentException(id + " is attached already");
        }
        var next = with(id, member);
        var paths = new TreeSet<>(detached);
        paths.remove(member.path());
        return new DriveTable(next.version, formedWeight, next.members, current, earlier, copies, paths).withBack(id);
    }

    /// A drive is to be emptied, and then let go.
    public DriveTable detaching(String id) {
        return with(id, member(id).asLeaving()).without(id);
    }

    /// A drive is gone, with all that only it had. What else had copies there is to be copied again.
    ///
    /// @throws IllegalArgumentException when no other drive takes writes
    public DriveTable forgetting(String id) {
        if (current.has(id) && current.size() == 1) {
            throw new IllegalArgumentException("no other drive takes writes: attach one first");
        }
        var without = without(id);
        var left = new TreeMap<>(without.members);
        var paths = new TreeSet<>(detached);
        left.remove(id);
        if (isPlaced(id)) {
            paths.add(member(id).path());
        }
        return new DriveTable(version + 1, formedWeight, left, without.current, without.earlier, copies, paths);
    }

    /// Another drive took the place of this one, which may come back elsewhere.
    public DriveTable displaced(String id) {
        return with(id, member(id).movedTo("", false)).without(id);
    }

    public DriveTable disabling(String id, boolean disabled) {
        return member(id).disabled() == disabled ? this : with(id, member(id).disabled(disabled));
    }

    public DriveTable moved(String id, String path, boolean mount) {
        var before = member(id);
        return before.path().equals(path) && before.mount() == mount ? this : with(id, before.movedTo(path, mount));
    }

    private Member member(String id) {
        var member = members.get(id);
        if (member == null) {
            throw new IllegalArgumentException("no drive " + id);
        }
        return member;
    }

    private DriveTable with(String id, Member member) {
        var next = new TreeMap<>(members);
        next.put(id, member);
        return new DriveTable(version + 1, formedWeight, next, current, earlier, copies, detached);
    }

    // ---- what becomes of objects

    /// A bucket's objects are to have so many copies.
    ///
    /// @param empty whether it has no object yet
    public DriveTable copying(long bucketId, int wanted, boolean empty) {
        var before = copies(bucketId);
        if (before.wanted() == wanted) {
            return this;
        }
        var after = before.wanting(wanted);
        var next = new TreeMap<>(copies);
        next.put(bucketId, empty ? after.settled() : after);
        return new DriveTable(version + 1, formedWeight, members, current, earlier, next, detached);
    }

    /// A bucket is gone.
    public DriveTable dropping(long bucketId) {
        var next = new TreeMap<>(copies);
        return next.remove(bucketId) == null
                ? this
                : new DriveTable(version + 1, formedWeight, members, current, earlier, next, detached);
    }

    /// Every key of every spread was looked at, on every drive, and is where it belongs. Drives that were to leave
    /// are members no more.
    public DriveTable settled() {
        var settled = new TreeMap<Long, Copies>();
        copies.forEach((bucket, number) -> {
            if (number.wanted() > 1) {
                settled.put(bucket, number.settled());
            }
        });
        var left = new TreeMap<>(members);
        var paths = new TreeSet<>(detached);
        members.forEach((id, member) -> {
            if (member.leaving()) {
                left.remove(id);
                if (member.isPlaced()) {
                    paths.add(member.path());
                }
            }
        });
        return new DriveTable(version + 1, formedWeight, left, current, Set.of(), settled, paths);
    }

    // ---- which table counts

    /// The drives that are asked to take another table after this one: those that take writes, given-up ones apart.
    public Set<String> asked(DriveTable next) {
        return keepers().stream().filter(next::isPlaced).collect(Collectors.toUnmodifiableSet());
    }

    /// Whether another table counts after this one when these drives have it durably: at least half of those that are
    /// asked. So every larger half has one that knows of it.
    public boolean isSucceededBy(DriveTable next, Collection<String> having) {
        return isSucceededBy(next, Set.of(), having);
    }

    /// The same for a table that may not have counted itself.
    ///
    /// @param askedBefore the drives that were asked to take this one
    public boolean isSucceededBy(DriveTable next, Collection<Set<String>> askedBefore, Collection<String> having) {
        return !having.isEmpty()
                && isHalf(asked(next), having)
                && askedBefore.stream().allMatch(drives -> isHalf(drives, having));
    }

    /// Whether this table counts for sure, which was read somewhere.
    ///
    /// @param asked the drives that were asked to take it: half of each of these sets must have it
    /// @param having the drives that are known to have it
    /// @param inOrder drives that were part of the target when it was last stopped in order, with this table
    public boolean surelyCounts(Collection<Set<String>> asked, Collection<String> having, Collection<String> inOrder) {
        return hasEnded(inOrder) || asked.stream().allMatch(drives -> isHalf(drives, having));
    }

    /// Whether a drive that is not there may have seen a newer table that counts than this one, the newest of those
    /// that are there. It may not, when more than half of the drives that were asked are there, for this table's
    /// successor and, unless this one counts for sure, for what may have come instead of it.
    ///
    /// @param present the drives whose table is known, with those
    public boolean mayBeOld(
            Collection<Set<String>> asked,
            Collection<String> having,
            Collection<String> present,
            Collection<String> inOrder) {
        var keepers = keepers();
        boolean nothingInstead = surelyCounts(asked, having, inOrder)
                || asked.stream().allMatch(drives -> isHalf(drives, having) || isMore(drives, present));
        boolean nothingLater = present.containsAll(keepers)
                || isMore(keepers, present)
                || (hasEnded(inOrder) && isHalf(keepers, present));
        return !nothingInstead || !nothingLater;
    }

    private boolean hasEnded(Collection<String> inOrder) {
        return keepers().stream().anyMatch(inOrder::contains);
    }

    private static boolean isHalf(Collection<String> all, Collection<String> some) {
        return 2 * all.stream().filter(some::contains).count() >= all.size();
    }

    private static boolean isMore(Collection<String> all, Collection<String> some) {
        return 2 * all.stream().filter(some::contains).count() > all.size();
    }

    /// The drives that each change is to be written to.
    private List<String> keepers() {
        return current.weights().keySet().stream().filter(this::isPlaced).toList();
    }

    private boolean isPlaced(String id) {
        var member = members.get(id);
        return member != null && member.isPlaced();
    }
}
