package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;

/// @param id never reused, also when the name is
/// @param deletion the version of the state in which it was marked for deletion; 0 when it is not
/// @param group the replicated buckets that it shares a table of slots with; 0 when it is not replicated
public record Bucket(long id, String name, long createdMillis, long deletion, BucketProperties properties, int group) {
    /// Not replicated.
    public Bucket(long id, String name, long createdMillis, long deletion, BucketProperties properties) {
        this(id, name, createdMillis, deletion, properties, 0);
    }

    /// @param deleting all that builds say that do not keep when it was marked
    @JsonCreator
    static Bucket read(
            @JsonProperty("id") long id,
            @JsonProperty("name") String name,
            @JsonProperty("createdMillis") long createdMillis,
            @JsonProperty("deletion") long deletion,
            @JsonProperty("deleting") boolean deleting,
            @JsonProperty("properties") BucketProperties properties,
            @JsonProperty("group") int group) {
        return new Bucket(id, name, createdMillis, deleting ? Math.max(deletion, 1) : 0, properties, group);
    }

    public boolean replicated() {
        return group > 0;
    }

    /// From the moment DeleteBucket begins until the bucket is gone or kept: reads go on, writes wait. In the JSON for
    /// builds that know only this.
    @JsonProperty
    public boolean deleting() {
        return deletion > 0;
    }

    public boolean backed() {
        return properties.backend().isPresent();
    }

    public Bucket withDeletion(long version) {
        return new Bucket(id, name, createdMillis, version, properties, group);
    }

    public Bucket withGroup(int newGroup) {
        return new Bucket(id, name, createdMillis, deletion, properties, newGroup);
    }

    public Bucket with(BucketProperties changed) {
        return new Bucket(id, name, createdMillis, deletion, changed, group);
    }
}
