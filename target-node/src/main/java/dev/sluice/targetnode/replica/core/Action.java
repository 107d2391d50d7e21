package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.Optional;

/// What the shell does for a core. Messages and proposals may be lost: the core repeats them.
public sealed interface Action {
    /// Sends a message to another drive of the slot.
    record Send(String drive, Message message) implements Action {}

    /// Asks the primary's drive for a row with its bytes ({@link Message.AskRow}). Answered by {@link Event.Pulled} or
    /// {@link Event.PullFailed}.
    ///
    /// @param position which slice is wanted
    record Pull(String drive, Learning learning, ObjectKey key, int position) implements Action {}

    /// Sends the committed row of a key, as the store has it now, with its bytes to the learner on that drive.
    /// Not answered.
    record SendRow(String drive, Learning learning, ObjectKey key) implements Action {}

    /// Asks the controllers.
    record Propose(Proposal proposal) implements Action {}

    /// The write of the ticket got this version. Comes before all other actions about the version.
    record Accepted(long ticket, ObjectVersion version) implements Action {}

    /// The end of a client's write. The key's lock can be released: the committed row in the store is the right one.
    record Answer(long ticket, Outcome outcome) implements Action {}

    /// This drive begins to serve the slot, or serves it under a new epoch: {@link SlotCore#serving()} has changed.
    record Open(Serving serving) implements Action {}

    /// This drive does not serve the slot any more.
    record Close() implements Action {}

    /// What became of a client's write.
    enum Outcome {
        /// It is durable on all members, and visible.
        COMMITTED,
        /// It has and will have no effect.
        FAILED,
        /// It may take effect, now or later, or not.
        UNKNOWN
    }

    /// Changes of the drive. They are carried out in the order in which the core ordered them, at least those of one
    /// key, and each is answered with {@link Event.Done} or {@link Event.Failed}, with the very action.
    sealed interface Local extends Action {}

    /// Stores a prepared write. Another one of the key is settled by an action before. Done when it is durable as the
    /// bucket wants it.
    record StoreIntent(OpenIntent intent) implements Local {}

    /// Commits or aborts the prepared write of that version. Without one (it was refused, or it is settled already)
    /// nothing is changed. Done when the row shows it. With `sync`, done when that is durable too, and all that was
    /// ordered before it for the key. Cannot fail for lack of space.
    ///
    /// @param then for the core: what it orders when this is done
    record Settle(ObjectKey key, ObjectVersion version, boolean commit, boolean sync, Optional<Action> then)
            implements Local {}

    /// Deletes the committed row of that version: the primary has none. Done when the row is gone; needs no sync.
    record DeleteRow(ObjectKey key, ObjectVersion version) implements Local {}

    /// Makes the row that was pulled the committed one, whichever is newer. An open intent of that slice is committed
    /// by it, one of another slice of that version is dropped. Done when the row shows it; needs no sync.
    record StorePulled(Learning learning, ObjectKey key, Slice slice) implements Local {}

    /// Done when all that was ordered before for this slot is durable.
    record SyncSlot(Learning learning) implements Local {}
}
