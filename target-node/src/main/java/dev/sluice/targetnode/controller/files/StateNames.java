package dev.sluice.targetnode.controller.files;

import java.util.Collection;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// The drives that a save names, so that no start takes a state that is older than the last one that counted.
///
/// Each copy names the drives that keep its state. A save counts when all that it names have it. A start takes the
/// newest copy it can read, if it can read one on every drive that this copy names. Let N be the names of the last save
/// that counted.
///
/// - An attempt names all of N, and drives that came back; or only drives of N, when some are to go. The next attempt
/// of the same save names
///   fewer, and of N only. When there is none left, nothing is saved any more.
/// - So a save that counts shares a drive with N, and with each attempt since N: the smallest set that was tried lies
///   in all others, and the one that counts is this set or contains it.
/// - A start that took an older copy would have read a copy on all drives that it names. One of these has taken the
///   next save that counted, and a drive's copy never becomes older: that copy would have been the newest.
/// - A start does not know whether the newest copy counted, unless all that it names have it. If not, all of them must
///   take the start's own save: N may be the copy's names, or what these replaced, and both have a drive among them.
///   Such a copy may hold a change whose outcome its caller never learned.
/// - Copies are in the order of time, by boot number and save. For that, the drives of N take an attempt before drives
///   that came back do, and at a start those that have the newest copy before the others. One of them is part of every
///   later start, whose boot number is greater then.
/// - A drive that is not named gets only saves that counted. Else it could show an attempt to a start that no drive of
///   this attempt has.
///
/// A drive is named only when it has a copy. A new cluster begins with one drive for that reason: a start never finds a
/// name without a copy because of a crash.
final class StateNames {
    private volatile Set<String> counted;
    private Set<String> having;

    /// @param newest what the newest copy names
    /// @param having those of them that have it
    StateNames(Set<String> newest, Set<String> having) {
        this.counted = Set.copyOf(newest);
        this.having = Set.copyOf(having);
    }

    /// The drives that the last save named that counted.
    Set<String> counted() {
        return counted;
    }

    /// Whether the newest copy counted for sure.
    boolean isKnown() {
        return having.containsAll(counted);
    }

    /// Those that take an attempt before the others do.
    Set<String> early(Set<String> names) {
        return common(names, having);
    }

    /// @param wanted the drives that are to keep the state
    /// @param ready those that have a copy and took their last write
    /// @return what a save's first attempt names
    Set<String> first(SortedSet<String> wanted, Collection<String> ready) {
        if (counted.isEmpty()) {
            return wanted.isEmpty() ? Set.of() : Set.of(wanted.first());
        }
        if (!isKnown()) {
            return counted;
        }
        var all = common(wanted, ready);
        all.addAll(counted);
        return all;
    }

    /// To be tried only when the same state has just counted: then the drives that stay were well a moment ago.
    ///
    /// @return what is named when drives are to go; empty when none is, or no other has the state
    Set<String> fewer(SortedSet<String> wanted) {
        var staying = common(counted, wanted);
        return isKnown() && staying.size() < counted.size() ? staying : Set.of();
    }

    /// @param failed those of `names` that did not take it
    /// @return what the next attempt names; empty when there must be none
    Set<String> afterFailure(Set<String> names, Set<String> failed) {
        if (!isKnown()) {
            return Set.of();
        }
        var next = common(names, counted);
        next.removeAll(failed);
        return next;
    }

    void haveCounted(Set<String> names) {
        counted = Set.copyOf(names);
        having = counted;
    }

    private static Set<String> common(Collection<String> some, Collection<String> others) {
        var common = new TreeSet<>(some);
        common.retainAll(others);
        return common;
    }
}
