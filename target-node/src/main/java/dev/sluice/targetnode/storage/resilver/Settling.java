package dev.sluice.targetnode.storage.resilver;

import java.util.Optional;
import java.util.Set;

/// Ends what a pass was for. May block: for virtual threads.
public interface Settling {
    /// Whether nothing is to be said under this table: each key is known to be where it belongs, or there is another
    /// table by now.
    boolean isSettled(long tableVersion);

    /// Says that each key is where it belongs, if that is so.
    ///
    /// @param tableVersion of the drive table that the pass was made under
    /// @param looked the drives on which every key was looked at, by id; a key may be astray on any other
    /// @return empty when the table is settled now; else what that waits for, in words for an operator
    Optional<String> settle(long tableVersion, Set<String> looked);
}
