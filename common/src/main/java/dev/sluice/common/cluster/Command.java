package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// A change of the cluster's state, one record each; [ClusterState#apply] says what it does.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "command")
@JsonSubTypes({
    @JsonSubTypes.Type(Command.Join.class),
    @JsonSubTypes.Type(Command.CreateBucket.class),
    @JsonSubTypes.Type(Command.SetBucketProperties.class),
    @JsonSubTypes.Type(Command.SetReplication.class),
    @JsonSubTypes.Type(Command.MarkDeleting.class),
    @JsonSubTypes.Type(Command.KeepBucket.class),
    @JsonSubTypes.Type(Command.RemoveBucket.class),
    @JsonSubTypes.Type(Command.ForgetBucket.class)
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
    /// cases
    /// of [SetBucketProperties] and [RemoveBucket].
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

    /// Every target has dropped what it had of a removed bucket: its name is free.
    record ForgetBucket(String name, long id) implements Command {}
}
