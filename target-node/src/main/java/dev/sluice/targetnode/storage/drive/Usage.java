package dev.sluice.targetnode.storage.drive;

/// What a bucket takes on a drive, or on several.
///
/// @param bytes of its objects, each copy counted
/// @param uploading bytes of the parts of its unfinished multipart uploads
public record Usage(long objects, long bytes, long uploading) {
    public static final Usage NONE = new Usage(0, 0, 0);

    public Usage plus(Usage other) {
        return new Usage(objects + other.objects, bytes + other.bytes, uploading + other.uploading);
    }

    public long allBytes() {
        return bytes + uploading;
    }
}
