package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.List;
import java.util.Optional;

/// What the replicas of a slot tell each other. It travels from a drive to a drive of the same group and slot; it
/// may be lost, doubled, delayed and overtaken.
public sealed interface Message {
    /// Whether it is about what a learner copies: that is much, and nobody waits for it.
    default boolean copies() {
        return this instanceof AskListing
                || this instanceof Listing
                || this instanceof AskRow
                || this instanceof Learned;
    }

    /// From the primary to the other members: the bytes of an object begin to come. Their targets take them meanwhile;
    /// it is nothing to a core.
    ///
    /// @param name under which the primary's target knows them
    /// @param position the member's
    /// @param size of what the member is to have
    record Arriving(long bucketId, String name, int position, long size) implements Message {}

    /// From the primary to every member: store this write durably. Its bytes are on the member before the core sees it.
    ///
    /// @param epoch of the primary's row
    /// @param position the member's: which slice it is to have; 0 for a deletion
    /// @param base the version of the primary's row of the key; empty: it has none
    /// @param settledBelow low-water mark: this primary has settled everywhere all versions below it
    record Prepare(
            long epoch,
            ObjectKey key,
            ObjectVersion version,
            boolean delete,
            int position,
            Optional<ObjectVersion> base,
            ObjectVersion settledBelow)
            implements Message {
        public Slice slice() {
            return new Slice(version, position);
        }
    }

    /// The member has the write durably.
    record Prepared(long epoch, ObjectKey key, ObjectVersion version) implements Message {}

    /// The member cannot store the write: its drive is full.
    record Refused(long epoch, ObjectKey key, ObjectVersion version) implements Message {}

    /// From the primary: what became of a write.
    ///
    /// @param sync whether it is answered only when it is durable
    record Fate(
            long epoch, ObjectKey key, ObjectVersion version, boolean commit, boolean sync, ObjectVersion settledBelow)
            implements Message {}

    /// The fate is known to the member; if it was asked for, durably.
    record FateKnown(long epoch, ObjectKey key, ObjectVersion version, boolean synced) implements Message {}

    /// From a new primary to each in-sync member and each drive of the fence list: accept nothing older than
    /// this epoch.
    record Fence(long epoch) implements Message {}

    /// The fence is acknowledged.
    ///
    /// @param incarnation of the process that acknowledges
    /// @param open the undecided writes on its drive; each is durable
    record Fenced(long epoch, int incarnation, List<OpenIntent> open) implements Message {
        public Fenced {
            open = List.copyOf(open);
        }
    }

    /// From a fencing primary to each in-sync member: which versions of these keys have you committed?
    record AskVersions(long epoch, List<ObjectKey> keys) implements Message {
        public AskVersions {
            keys = List.copyOf(keys);
        }
    }

    /// @param keys the keys that were asked for
    /// @param rows those of them that have a row
    record Versions(long epoch, int incarnation, List<ObjectKey> keys, List<KeyVersion> rows) implements Message {
        public Versions {
            keys = List.copyOf(keys);
            rows = List.copyOf(rows);
        }
    }

    /// From a learner to the primary: which rows do you have?
    record AskListing(Learning learning, KeyRange range) implements Message {}

    /// @param page the beginning of the range that was asked for, or all of it
    record Listing(Learning learning, Page page) implements Message {}

    /// From a learner to the primary: send this row with its bytes. The shell sends it on behalf of
    /// {@link Action.Pull}, and hands it to the primary's core, which answers with {@link Action.SendRow}.
    record AskRow(Learning learning, ObjectKey key) implements Message {}

    /// From a learner to the primary: all is compared, pulled and durable.
    record Learned(Learning learning) implements Message {}
}
