package dev.sluice.targetnode.storage.change;

import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// Judges a change by what it would replace, while nothing else can change that; throws to refuse it.
@FunctionalInterface
public interface WriteCheck {
    /// Asks nothing, and so saves reading the present record.
    WriteCheck NONE = _ -> {};

    void check(Optional<ObjectRecord> present);

    /// Whether it asks anything of the present record.
    default boolean asks() {
        return !equals(NONE);
    }

    /// Whether nobody waits for the change any more. A replicated bucket does not begin it then: who wanted it may have
    /// been told that its outcome is unknown, and may have written since. Never blocks; on any thread.
    default boolean isAbandoned() {
        return false;
    }

    /// The same check of a change that nobody waits for once this says so.
    default WriteCheck unless(BooleanSupplier abandoned) {
        var check = this;
        return new WriteCheck() {
            @Override
            public void check(Optional<ObjectRecord> present) {
                check.check(present);
            }

            @Override
            public boolean asks() {
                return check.asks();
            }

            @Override
            public boolean isAbandoned() {
                return abandoned.getAsBoolean();
            }
        };
    }
}
