package dev.sluice.targetnode.replica.core;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Optional;

/// What happens to a replica.
public sealed interface Event {
    /// First of all, once: the prepared writes of this slot that the drive had at its start. The drive has been synced
    /// since: a process that was killed may have left some that no power cut would have.
    record Recovered(List<OpenIntent> open) implements Event {
        public Recovered {
            open = List.copyOf(open);
        }
    }

    /// The slot's row in a newer map, when it or `surplus` has changed. Maps come in the order of their versions;
    /// some may be left out. One in which the target has an older incarnation than this process is not handed in.
    ///
    /// @param surplus whether an in-sync member of the row is down or out, or there are more than the group wants
    record RowApplied(SlotRow row, boolean surplus) implements Event {}

    /// A client's write. The shell holds the key's lock from before it judged the conditions on the committed row until
    /// the core answers the ticket, so there is at most one of a key.
    ///
    /// @param ticket comes back in {@link Action.Accepted} and {@link Action.Answer}
    record Write(long ticket, ObjectKey key, boolean delete) implements Event {}

    /// A message of another drive of the slot.
    ///
    /// @param from the drive that sent it
    record Received(String from, Message message) implements Event {}

    /// What the core ordered is done, in the sense that its kind describes.
    record Done(Action.Local action) implements Event {}

    /// What the core ordered could not be done, for lack of space, and had no effect. A drive that fails otherwise goes
    /// offline, and its core is dropped.
    record Failed(Action.Local action) implements Event {}

    /// A row that the learner asked for with {@link Action.Pull} has come. Its bytes are on the drive already, in a
    /// file of their own. If the actions returned contain no {@link Action.StorePulled}, they are not wanted.
    ///
    /// @param row the version of the source's row, and the slice that came: the one that was asked for, or
    ///     [Slice#NONE] where all members of the row together have too little to make it. Empty: the source has no
    ///     row any more
    record Pulled(Learning learning, ObjectKey key, Optional<Slice> row) implements Event {}

    /// The pull brought no answer. The core asks again with the next tick.
    record PullFailed(Learning learning, ObjectKey key) implements Event {}

    /// From time to time, while {@link SlotCore#waits()}: what is unanswered is sent again.
    record Tick() implements Event {}

    /// A page of what the drive has of a slot goes, if the drive has no part in it: see {@link SlotCore#hasNoPart()}.
    /// The shell has waited for long, and the slot has as many usable in-sync members as its group wants.
    record Purge() implements Event {}
}
