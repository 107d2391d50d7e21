package dev.sluice.common.cluster.slots;

/// A drive's part in a slot.
///
/// @param drive the drive's id
/// @param inSync whether it has every acknowledged write of the slot; else it is a learner: it takes writes, copies the
///     rest, and never serves
/// @param incarnation the drive's, when it got this role
/// @param since the epoch in which it got this role
/// @param position which slice of each object it has; 0 where each has whole objects. Its drive has another one only
///     after it has left, with another `since`
public record Member(String drive, boolean inSync, int incarnation, long since, int position) {
    public Member {
        if (position < 0 || position >= Long.SIZE) {
            throw new IllegalArgumentException("position " + position);
        }
    }

    /// One that has whole objects.
    public Member(String drive, boolean inSync, int incarnation, long since) {
        this(drive, inSync, incarnation, since, 0);
    }

    /// The same in another role.
    public Member with(boolean nowInSync, int newIncarnation, long newSince) {
        return new Member(drive, nowInSync, newIncarnation, newSince, position);
    }
}
