package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;

/// @param id never reused, also when the name is
/// @param deletion the version of the state in which it was marked for deletion; 0 when it is not
public record Bucket(long id, String name, long createdMillis, long deletion, BucketProperties properties) {
    /// From the moment DeleteBucket begins until the bucket is gone or kept: reads go on, writes wait. Written for
    /// builds
    /// that know only this.
    @JsonProperty
    public boolean deleting() {
        return deletion > 0;
    }

    public boolean backed() {
        return properties.backend().isPresent();
    }

    Bucket withDeletion(long version) {
        return new Bucket(id, name, createdMillis, version, properties);
    }

    Bucket with(BucketProperties changed) {
        return new Bucket(id, name, createdMillis, deletion, changed);
    }
}
