package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import dev.sluice.common.jobs.JobPart;
import dev.sluice.common.jobs.JobPosition;
import dev.sluice.common.jobs.JobSpec;
import dev.sluice.common.name.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/// What the cluster's state is to become, one record each; `planning.Planner` says what it changes.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "command")
@JsonSubTypes({
    @JsonSubTypes.Type(Command.Join.class),
    @JsonSubTypes.Type(Command.CreateBucket.class),
    @JsonSubTypes.Type(Command.SetBucketProperties.class),
    @JsonSubTypes.Type(Command.SetReplication.class),
    @JsonSubTypes.Type(Command.MarkDeleting.class),
    @JsonSubTypes.Type(Command.KeepBucket.class),
    @JsonSubTypes.Type(Command.RemoveBucket.class),
    @JsonSubTypes.Type(Command.DroppedBuckets.class),
    @JsonSubTypes.Type(Command.Register.class),
    @JsonSubTypes.Type(Command.Up.class),
    @JsonSubTypes.Type(Command.Down.class),
    @JsonSubTypes.Type(Command.Trust.class),
    @JsonSubTypes.Type(Command.ControllerBoot.class),
    @JsonSubTypes.Type(Command.DriveOut.class),
    @JsonSubTypes.Type(Command.DriveIn.class),
    @JsonSubTypes.Type(Command.Opened.class),
    @JsonSubTypes.Type(Command.Promote.class),
    @JsonSubTypes.Type(Command.Expel.class),
    @JsonSubTypes.Type(Command.TakeOff.class),
    @JsonSubTypes.Type(Command.Fill.class),
    @JsonSubTypes.Type(Command.Mute.class),
    @JsonSubTypes.Type(Command.Unmute.class),
    @JsonSubTypes.Type(Command.CutOff.class),
    @JsonSubTypes.Type(Command.Fenced.class),
    @JsonSubTypes.Type(Command.Forget.class),
    @JsonSubTypes.Type(Command.GiveAway.class),
    @JsonSubTypes.Type(Command.StartJob.class),
    @JsonSubTypes.Type(Command.EndJobPart.class),
    @JsonSubTypes.Type(Command.StopJob.class),
    @JsonSubTypes.Type(Command.MoveJob.class)
})
public sealed interface Command {
    /// A node is here, at this address. Its weight and role never change.
    record Join(Node node) implements Command {}

    record CreateBucket(String name, long nowMillis, BucketProperties properties) implements Command {}

    /// Changes nothing when the bucket is another one by now, or its properties are not the expected ones any more; or
    /// when its objects would have to be kept in another way ([BucketProperties#replicatesAs]).
    ///
    /// @param expected what the new ones were made from
    record SetBucketProperties(String name, long id, BucketProperties expected, BucketProperties properties)
            implements Command {}

    /// Ends a deletion of a bucket that was found empty: it is kept, with other properties. Changes nothing in the
    /// cases of [SetBucketProperties] and [RemoveBucket].
    ///
    /// @param deletion as it was when the targets were asked
    record SetReplication(String name, long id, long deletion, BucketProperties expected, BucketProperties properties)
            implements Command {}

    /// Begins a deletion: writes wait while the targets are asked whether the bucket is empty.
    record MarkDeleting(String name) implements Command {}

    /// Ends a deletion of a bucket that was not empty.
    record KeepBucket(String name, long id) implements Command {}

    /// Ends a deletion, unless somebody has kept the bucket meanwhile: then writes were let in, also when it is marked
    /// again by now.
    ///
    /// @param deletion as it was when the targets were asked
    record RemoveBucket(String name, long id, long deletion) implements Command {}

    /// Drives have dropped, durably, what they had of buckets that are gone.
    ///
    /// @param upTo the number of a removal: they have nothing of that one, nor of those before it
    record DroppedBuckets(SortedSet<String> drives, long upTo) implements Command {}

    /// A change of the table of jobs. A repeated one changes nothing.
    sealed interface JobCommand extends Command {}

    /// @param id chosen by the node that asks, once
    /// @param author the access key of who asks
    record StartJob(String id, JobSpec spec, String author, long nowMillis) implements JobCommand {}

    /// A target has worked on all its keys, or cannot go on.
    record EndJobPart(String id, NodeId target, JobPart part, long nowMillis) implements JobCommand {}

    /// A target has worked up to here, and would go on from here after a restart.
    record MoveJob(String id, NodeId target, JobPosition position) implements JobCommand {}

    /// By an operator.
    ///
    /// @param parts those that have not ended, as they stood
    record StopJob(String id, SortedMap<NodeId, JobPart> parts, long nowMillis) implements JobCommand {}

    /// A change of targets, drives and slots. What it names must still be so, or it has no effect; nor has a repeated
    /// one. The state returned tells whether it had: the incarnation of a registration, the rows of the others.
    sealed interface SlotCommand extends Command {
        /// A call has at most this many slots, so that it stays below the largest body of a call: two or three bytes
        /// each, and five at most while the epochs of the slots are within a million of each other.
        int MOST_SLOTS = 150_000;
    }

    /// A process of a target begins its life. Its drives that it does not name are out.
    ///
    /// @param nonce chosen by the process for this registration
    /// @param ifIncarnation the target's incarnation as the process read it; 0 for none
    /// @param bootId the kernel's
    record Register(NodeId target, String nonce, int ifIncarnation, String bootId, List<RegisteredDrive> drives)
            implements SlotCommand {}

    /// @param sound false when its index was made anew: it may lack what it acknowledged
    /// @param mayLackUnsynced whether writes that were not synced may be lost though its index is sound: it failed
    /// while a process of this boot had it, or nothing says that it did not
    /// @param dropped up to which removal of a bucket it has dropped all: as in [DroppedBuckets]
    record RegisteredDrive(String id, double weight, boolean sound, boolean mayLackUnsynced, long dropped) {
        public RegisteredDrive(String id, double weight, boolean sound) {
            this(id, weight, sound, false, 0);
        }
    }

    /// A target that is down in the log has beaten.
    record Up(NodeId target, int incarnation) implements SlotCommand {}

    /// A majority of controllers reported that their promises to this target have lapsed.
    ///
    /// @param version of the target's entry, as the controllers had it
    /// @param boots the boot numbers of the controllers that reported
    record Down(NodeId target, long version, SortedMap<NodeId, Integer> boots) implements SlotCommand {}

    /// No majority reported: the controllers that did promise again.
    record Trust(NodeId target, long version) implements SlotCommand {}

    /// A controller begins its life.
    record ControllerBoot(NodeId controller, int boot) implements SlotCommand {}

    /// A target reports drives of its own that it cannot use.
    ///
    /// @param drives with the incarnation in which it could, or did not
    record DriveOut(NodeId target, SortedMap<String, Integer> drives) implements SlotCommand {}

    /// A target reports a drive that it can use from now on: a new one, or one that was out. The log gives the drive an
    /// incarnation of its own.
    ///
    /// @param incarnation of the process that reports
    /// @param ifIncarnation the drive's, as the process has read it; 0 for none
    /// @param nonce chosen by the process for this report
    record DriveIn(NodeId target, int incarnation, RegisteredDrive drive, int ifIncarnation, String nonce)
            implements SlotCommand {}

    /// The primaries of these slots serve.
    record Opened(
            @JsonSerialize(converter = PackedSlots.FromEpochs.class)
            @JsonDeserialize(converter = PackedSlots.ToEpochs.class)
            List<SlotEpoch> slots)
            implements SlotCommand {}

    /// These learners have everything.
    record Promote(
            @JsonSerialize(converter = PackedSlots.FromDrives.class)
            @JsonDeserialize(converter = PackedSlots.ToDrives.class)
            List<SlotDrive> learners)
            implements SlotCommand {}

    /// These in-sync members ask that those go which are down or out, or more than the goal.
    ///
    /// @param answers of the target that asks. Without them, nobody leaves an erasure-coded slot
    record Expel(
            @JsonSerialize(converter = PackedSlots.FromDrives.class)
            @JsonDeserialize(converter = PackedSlots.ToDrives.class)
            List<SlotDrive> asking,

            Optional<Answers> answers)
            implements SlotCommand {
        /// Of slots whose members have whole objects.
        public Expel(List<SlotDrive> asking) {
            this(asking, Optional.empty());
        }
    }

    /// Who has just answered a target that wants members to leave. They count for 1.5 s after the beat that it names.
    ///
    /// @param target that asks
    /// @param incarnation of the process that asks
    /// @param beat the newest that the leader had answered when it asked
    /// @param controller that answered it: only that one knows when it came
    /// @param drives with their incarnations: each has answered, within the last 500 ms, a question that was
    ///     sent after the reason to leave arose, and had written durably before it answered
    record Answers(NodeId target, int incarnation, long beat, NodeId controller, SortedMap<String, Integer> drives) {}

    /// These learners refused a write. They are not chosen again for their slots for 2 s.
    record TakeOff(
            @JsonSerialize(converter = PackedSlots.FromDrives.class)
            @JsonDeserialize(converter = PackedSlots.ToDrives.class)
            List<SlotDrive> learners)
            implements SlotCommand {}

    /// Learners are added and taken off as placement wants. The controller's own.
    record Fill() implements SlotCommand {}

    /// Too few other targets hear this one: from now on nothing is promised to it. The controller's own.
    ///
    /// @param version of the target's entry, as the controller had it
    /// @param muted those that were muted when it was judged: one is muted after the other
    record Mute(NodeId target, long version, SortedSet<NodeId> muted) implements SlotCommand {}

    /// Enough of the others hear it again. The controller's own.
    record Unmute(NodeId target, long version) implements SlotCommand {}

    /// A target does not hear another one: the members that the other one has of these slots leave.
    ///
    /// @param answers of the target that asks. Its drives are the primaries of the slots, and have written durably
    ///     since it missed the other
    /// @param primaries the drives that ask
    record CutOff(
            Answers answers,
            NodeId other,

            @JsonSerialize(converter = PackedSlots.FromDrives.class)
            @JsonDeserialize(converter = PackedSlots.ToDrives.class)
            List<SlotDrive> primaries)
            implements SlotCommand {
        /// Of slots whose members have whole objects.
        public CutOff(
                NodeId target, int incarnation, long beat, NodeId controller, NodeId other, List<SlotDrive> primaries) {
            this(new Answers(target, incarnation, beat, controller, Collections.emptySortedMap()), other, primaries);
        }
    }

    /// A target says with a beat that all its drives have applied the state of this version, the newest: nobody has to
    /// ask them about earlier epochs any more. The controller's own.
    record Fenced(NodeId target, int incarnation, long version) implements SlotCommand {}

    /// An operator says that a target, or a drive of it, will not come back, and that its process has ended. From
    /// then on its drives take no part, nor does that process. Void while the target is up; of a drive, unless that
    /// is out. A target of the same id may come with other drives.
    ///
    /// @param drive the only one that is meant; without one, all that the target has now
    record Forget(NodeId target, Optional<String> drive) implements SlotCommand {}

    /// What was forgotten leaves the slots. Those that have no in-sync member without it get an heir; those without an
    /// heir stay as they are.
    ///
    /// @param heirs each for a slot as long as that has this epoch, with the drive's incarnation
    record GiveAway(
            @JsonSerialize(converter = PackedSlots.FromDrives.class)
            @JsonDeserialize(converter = PackedSlots.ToDrives.class)
            List<SlotDrive> heirs)
            implements SlotCommand {}

    /// A slot as long as it has this epoch.
    record SlotEpoch(int group, int slot, long epoch) {}

    /// A member of a slot as long as the slot has this epoch.
    ///
    /// @param incarnation the member's
    record SlotDrive(int group, int slot, long epoch, String drive, int incarnation) {}
}
