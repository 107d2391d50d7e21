package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.Comparator;
import java.util.Optional;

/// What a core may ask while it handles an event. All answers are immediate.
public interface SlotContext {
    /// The committed row of a key on this drive, as the store has it now. It may lag behind what the core ordered: the
    /// core knows what is on its way.
    Optional<Slice> row(ObjectKey key);

    /// The first committed rows of a range, as many as a page should hold. The page's range says what it covers: the
    /// whole range that was asked for, or its beginning up to the last row returned.
    Page page(KeyRange range);

    /// The order of keys in the store.
    Comparator<ObjectKey> order();

    /// Larger than all numbers this process has returned before, over all its slots; from 1.
    int nextCounter();

    /// Whether this process has a lease now and the drive is online.
    boolean leased();
}
