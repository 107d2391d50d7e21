package dev.sluice.common.s3;

/// What a GET of a shard (a tar file) is to answer instead of the whole shard. A *sample* is made of the neighbouring
/// members whose names are the same up to the first dot of their last part.
public sealed interface ShardMember {
    /// How many samples the shard has.
    record Count() implements ShardMember {}

    /// Samples one after the other, as bytes of the tar.
    ///
    /// @param first from 0
    /// @param count 1 or more
    record Samples(int first, int count) implements ShardMember {}
}
