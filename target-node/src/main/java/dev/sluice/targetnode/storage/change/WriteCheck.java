package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;

/// Judges a change by what it would replace, while nothing else can change that; throws to refuse it.
@FunctionalInterface
public interface WriteCheck {
    /// Asks nothing, and so saves reading the present record.
    WriteCheck NONE = _ -> {};

    void check(Optional<ObjectRecord> present);
}
