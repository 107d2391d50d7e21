package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.Member;
import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A new primary's questions, all under one epoch: first that nothing older be accepted, then for the rows of the keys
/// that anybody has an open intent of. With no open intents there is no second round.
final class Fencing {
    /// What becomes of an undecided write.
    record Verdict(ObjectKey key, ObjectVersion version, boolean delete, boolean commit) {}

    private final SlotRow row;
    private final Map<String, List<OpenIntent>> acknowledged = new HashMap<>();
    private final Map<String, Map<ObjectKey, Optional<Slice>>> rows = new HashMap<>();

    Fencing(SlotRow row) {
        this.row = row;
    }

    void fenced(EventStep step, String from, Message.Fenced fenced) {
        if (step.rules.answers(fenced.epoch(), row.epoch()) && counts(step, from, fenced.incarnation())) {
            acknowledged.putIfAbsent(from, fenced.open());
        }
    }

    void versions(EventStep step, String from, Message.Versions versions) {
        if (step.rules.answers(versions.epoch(), row.epoch()) && counts(step, from, versions.incarnation())) {
            var known = rows.computeIfAbsent(from, drive -> new HashMap<>());
            versions.keys().forEach(key -> known.putIfAbsent(key, Optional.empty()));
            versions.rows().forEach(found -> known.put(found.key(), Optional.of(found.slice())));
        }
    }

    private boolean counts(EventStep step, String from, int incarnation) {
        return row.member(from)
                .filter(Member::inSync)
                .map(member -> step.rules.acknowledgementCounts(member.incarnation(), incarnation))
                .orElse(true);
    }

    /// Asks whoever has not answered.
    void ask(EventStep step, SlotRow now) {
        var missing = missing(step, now);
        for (var drive : missing) {
            step.send(drive, new Message.Fence(row.epoch()));
        }
        var keys = keys();
        if (missing.isEmpty() && !keys.isEmpty()) {
            for (var member : members()) {
                if (!knows(member, keys)) {
                    step.send(member.drive(), new Message.AskVersions(row.epoch(), List.copyOf(keys)));
                }
            }
        }
    }

    /// Whether the fence itself is complete.
    ///
    /// @param now the row of this epoch as it is now: its fence list may have become shorter
    boolean isFenced(EventStep step, SlotRow now) {
        return missing(step, now).isEmpty();
    }

    /// Whether all is known.
    boolean isComplete(EventStep step, SlotRow now) {
        var keys = keys();
        return isFenced(step, now) && members().stream().allMatch(member -> knows(member, keys));
    }

    /// Of each write that is open anywhere, in the order of versions: committed if every in-sync member has its part of
    /// it, else aborted.
    List<Verdict> verdicts(EventStep step) {
        var writes = new HashSet<OpenIntent>();
        members()
                .forEach(member -> acknowledged
                        .getOrDefault(member.drive(), List.of())
                        .forEach(intent -> writes.add(intent.ofAnyPosition())));
        return writes.stream()
                .sorted(Comparator.comparing(OpenIntent::version))
                .map(intent -> new Verdict(intent.key(), intent.version(), intent.delete(), commits(step, intent)))
                .toList();
    }

    private boolean commits(EventStep step, OpenIntent intent) {
        var having =
                members().stream().filter(member -> has(step, member, intent)).toList();
        return step.rules.commits(having, members());
    }

    private boolean has(EventStep step, Member member, OpenIntent intent) {
        var open = acknowledged.getOrDefault(member.drive(), List.of()).stream()
                .filter(other -> other.key().equals(intent.key()))
                .findFirst();
        if (open.filter(other -> other.version().equals(intent.version()) && other.fits(member.position()))
                .isPresent()) {
            return true;
        }
        var found = rows.getOrDefault(member.drive(), Map.of()).getOrDefault(intent.key(), Optional.empty());
        if (found.isPresent()) { // it is proof that the version was committed, whichever slice it has of it
            return found.get().version().compareTo(intent.version()) >= 0;
        }
        boolean older = open.filter(other -> other.version().compareTo(intent.version()) < 0)
                .isPresent();
        return intent.delete() && step.rules.hasDeletion(older);
    }

    private List<String> missing(EventStep step, SlotRow now) {
        return step.rules.mustFence(now, step.drive).stream()
                .filter(drive -> !acknowledged.containsKey(drive))
                .sorted()
                .toList();
    }

    private List<Member> members() {
        return row.inSync().stream()
                .filter(member -> acknowledged.containsKey(member.drive()))
                .toList();
    }

    private Set<ObjectKey> keys() {
        var keys = new HashSet<ObjectKey>();
        for (var member : members()) {
            acknowledged.getOrDefault(member.drive(), List.of()).forEach(intent -> keys.add(intent.key()));
        }
        return keys;
    }

    private boolean knows(Member member, Set<ObjectKey> keys) {
        return rows.getOrDefault(member.drive(), Map.of()).keySet().containsAll(keys);
    }
}
