package dev.sluice.common.cluster.planning;

import java.util.List;

/// What placement wants for a slot.
///
/// @param goal of the drives that can be used
/// @param ofAll of a coded slot: if all targets were up; else empty
record Wanted(List<String> goal, List<String> ofAll) {
    static final Wanted NOTHING = new Wanted(List.of(), List.of());

    @SuppressWarnings("ReferenceEquality") // the same drives are always the same list
    boolean is(Wanted other) {
        return goal == other.goal && ofAll == other.ofAll;
    }

    int identity() {
        return System.identityHashCode(goal) * 31 + System.identityHashCode(ofAll);
    }
}
