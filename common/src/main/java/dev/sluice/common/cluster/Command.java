package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonSubTypes.Type;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeInfo.Id;

/// A change of the cluster's state, one record each; [ClusterState#apply] says what it does.
@JsonTypeInfo(use = Id.NAME, property = "command")
@JsonSubTypes({
    @Type(Command.Join.class),
    @Type(Command.CreateBucket.class),
    @Type(Command.SetBucketProperties.class),
    @Type(Command.MarkDeleting.class),
    @Type(Command.KeepBucket.class),
    @Type(Command.RemoveBucket.class)
})
public sealed interface Command {
    /// A node is here, at this address. Its weight and role never change.
    record Join(Node node) implements Command {}

    record CreateBucket(String name, long nowMillis, BucketProperties properties) implements Command {}

    record SetBucketProperties(String name, BucketProperties properties) implements Command {}

    /// Begins a deletion: writes wait while the targets are asked whether the bucket is empty.
    record MarkDeleting(String name) implements Command {}

    /// Ends a deletion of a bucket that was not empty.
    record KeepBucket(String name, long id) implements Command {}

    /// Ends a deletion.
    record RemoveBucket(String name, long id) implements Command {}
}
