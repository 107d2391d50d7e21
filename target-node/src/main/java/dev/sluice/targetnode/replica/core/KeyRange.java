package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.Comparator;
import java.util.Optional;

/// Keys of a slot in the order of the store.
///
/// @param after the range begins after this key; empty: at the slot's first key
/// @param last the last key of the range, which need not exist; empty: the range goes to the slot's end
public record KeyRange(Optional<ObjectKey> after, Optional<ObjectKey> last) {
    public static final KeyRange ALL = new KeyRange(Optional.empty(), Optional.empty());

    public boolean contains(ObjectKey key, Comparator<ObjectKey> order) {
        return after.filter(bound -> order.compare(key, bound) <= 0).isEmpty()
                && last.filter(bound -> order.compare(key, bound) > 0).isEmpty();
    }

    /// The keys that follow this range, to the slot's end.
    public KeyRange rest() {
        return new KeyRange(last, Optional.empty());
    }

    public boolean more() {
        return last.isPresent();
    }
}
