package dev.sluice.common.cluster;

/// @param id never reused, also when the name is
/// @param deleting true from the moment DeleteBucket begins until the bucket is gone or kept: reads go on, writes wait
public record Bucket(long id, String name, long createdMillis, boolean deleting, BucketProperties properties) {
    public boolean backed() {
        return properties.backend().isPresent();
    }

    Bucket withDeleting(boolean now) {
        return new Bucket(id, name, createdMillis, now, properties);
    }

    Bucket with(BucketProperties changed) {
        return new Bucket(id, name, createdMillis, deleting, changed);
    }
}
