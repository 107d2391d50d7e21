package dev.sluice.targetnode.storage.drive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What may be found of each key, now and after a crash.
final class KeyStates {
    static final long DAMAGED = -1;
    static final State NOTHING = new State(0, 0);

    /// What there is of a key.
    ///
    /// @param row the version that is visible, 0 for none
    /// @param open the version of the open intent, 0 for none
    record State(long row, long open) {}

    /// @param unsynced whether a loss of power could do anything to the key
    /// @param until how many batches the index had when it had made way to the next
    private record Past(State state, boolean unsynced, int until) {}

    private final Map<String, Set<State>> allowed = new TreeMap<>();

    /// What was there before changes that were not synced: a loss of power may bring it back.
    private final Map<String, List<Past>> past = new HashMap<>();

    private final Map<String, Set<Long>> rows = new HashMap<>();
    private final Map<String, Set<Long>> opens = new HashMap<>();

    /// The keys that a loss of power may do anything to: something that was not to last was changed last.
    private final Set<String> unsynced = new HashSet<>();

    /// Those of them that have seen a loss of power: what they have may change with each restart.
    private final Set<String> unsteady = new HashSet<>();

    /// Where a commit was broken off between the file and the index: what a loss of power may yet make of the file.
    private final Map<String, Set<State>> halfDone = new HashMap<>();

    KeyStates(List<String> keys) {
        for (var key : keys) {
            allowed.put(key, Set.of(NOTHING));
            past.put(key, new ArrayList<>());
            rows.put(key, new HashSet<>(Set.of(DAMAGED, 0L)));
            opens.put(key, new HashSet<>(Set.of(0L)));
        }
    }

    Set<State> of(String key) {
        return allowed.getOrDefault(key, Set.of());
    }

    /// The only one there can be.
    State now(String key) {
        return of(key).iterator().next();
    }

    boolean mayHaveRow(String key) {
        return of(key).stream().anyMatch(state -> state.row != 0);
    }

    /// Whether a loss of power leaves the object that is there.
    boolean lasts(String key) {
        return !unsynced.contains(key) && of(key).size() == 1 && now(key).row > 0;
    }

    boolean isUnsteady(String key) {
        return unsteady.contains(key);
    }

    /// A change begins.
    void begun(String key, State next) {
        rows.getOrDefault(key, Set.of()).add(next.row);
        opens.getOrDefault(key, Set.of()).add(next.open);
    }

    /// A change was acknowledged.
    ///
    /// @param lasts whether it, and all of the key, was to last
    /// @param until how many batches the index has now
    void became(String key, State next, boolean lasts, boolean isCommit, int until) {
        var before = past.getOrDefault(key, List.of());
        for (var state : of(key)) {
            before.add(new Past(state, unsynced.contains(key), until));
            if (isCommit) {
                before.add(new Past(new State(DAMAGED, state.open), false, until));
            }
        }
        if (lasts) {
            unsynced.remove(key);
            unsteady.remove(key);
        }
        if (next.row != DAMAGED) {
            halfDone.remove(key);
        }
        allowed.put(key, Set.of(next));
    }

    /// The object that it became may be damaged.
    void perhapsDamaged(String key) {
        add(key, new State(DAMAGED, now(key).open));
    }

    void unsynced(String key) {
        unsynced.add(key);
    }

    /// A change was broken off.
    void perhaps(String key, State next, boolean isCommit) {
        if (isCommit) {
            of(key).stream()
                    .map(state -> new State(DAMAGED, state.open))
                    .toList()
                    .forEach(each -> add(key, each));
        }
        add(key, next);
    }

    private void add(String key, State state) {
        var more = new HashSet<>(of(key));
        more.add(state);
        allowed.put(key, more);
    }

    /// @param synced how many batches of the index are left for sure
    void power(int synced) {
        past.forEach((key, states) -> states.forEach(each -> {
            if (each.until > synced) {
                add(key, each.state);
                if (each.unsynced) {
                    unsynced.add(key);
                }
            }
        }));
        halfDone.forEach((key, states) -> states.forEach(state -> add(key, state)));
        unsteady.addAll(unsynced);
    }

    /// A start begins.
    void restarted() {
        for (var key : unsteady) {
            for (long row : rows.getOrDefault(key, Set.of())) {
                opens.getOrDefault(key, Set.of()).forEach(open -> add(key, new State(row, open)));
            }
        }
    }

    /// A start has synced what it found.
    void repaired() {
        past.values().forEach(List::clear);
    }

    void found(String key, State state) {
        if (state.row == DAMAGED && state.open != 0) {
            var before = of(key).stream().filter(each -> each.open == state.open);
            halfDone.putIfAbsent(key, before.collect(Collectors.toSet()));
        }
        allowed.put(key, Set.of(state));
    }
}
