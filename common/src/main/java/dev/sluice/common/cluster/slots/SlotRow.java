package dev.sluice.common.cluster.slots;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A slot's entry in the controllers' log. A row that changes its members gets a new epoch.
///
/// @param epoch grows with each change of the members
/// @param members in order; the first in-sync one is the primary. One is in-sync at least
/// @param primarySince the epoch in which the primary began, or began again
/// @param driveSince the epoch from which this drive has been primary with no other between, with its index not made
///     anew: what it alone has, as unfinished uploads, counts for so long
/// @param fence ids of the drives that a new primary has to ask besides the in-sync members: in-sync members of all
///     epochs since the last one that was opened, less those whose process is known to have ended
/// @param opened whether the primary has begun to serve since `primarySince`. So it counts also, and is not logged,
///     where nobody else is to be asked: of one in-sync member whose fence list names at most itself
public record SlotRow(
        long epoch, List<Member> members, long primarySince, long driveSince, List<String> fence, boolean opened) {
    /// The epoch of a slot's first row: nothing was ever served or written before.
    public static final long FIRST = 1;

    public SlotRow {
        members = List.copyOf(members);
        fence = List.copyOf(fence);
        if (firstInSync(members).isEmpty()) {
            throw new IllegalArgumentException("no in-sync member in " + members);
        }
        if (isAlone(members, fence)) {
            opened = true;
            fence = List.of();
        }
    }

    private static boolean isAlone(List<Member> members, List<String> fence) {
        int inSync = 0;
        var only = "";
        for (var member : members) {
            if (member.inSync()) {
                inSync++;
                only = member.drive();
            }
        }
        return inSync == 1
                && (fence.isEmpty() || (fence.size() == 1 && fence.getFirst().equals(only)));
    }

    public static Optional<Member> firstInSync(List<Member> members) {
        for (var member : members) {
            if (member.inSync()) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    /// How many different positions the in-sync members have: each of them once.
    public int positions() {
        return positions(members);
    }

    /// The same of those that are in-sync among these.
    public static int positions(List<Member> members) {
        long seen = 0;
        for (var member : members) {
            if (member.inSync()) {
                seen |= 1L << member.position();
            }
        }
        return Long.bitCount(seen);
    }

    public Member primary() {
        return firstInSync(members).orElseThrow();
    }

    public List<Member> inSync() {
        var inSync = new ArrayList<Member>(members.size());
        for (var member : members) {
            if (member.inSync()) {
                inSync.add(member);
            }
        }
        return List.copyOf(inSync);
    }

    public Optional<Member> member(String drive) {
        for (var member : members) {
            if (member.drive().equals(drive)) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }
}
