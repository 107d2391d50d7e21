package dev.sluice.targetnode.storage.record;

import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;

/// A multipart upload that was begun: what the object will have besides its bytes.
///
/// @param checksumAlgorithm the one the client announced
/// @param fullObjectChecksum whether its value is over the whole object rather than over the parts' values
/// @param home of a replicated bucket: the epoch from which the drive that has it had been the slot's primary; else 0
/// @param completing of a cached bucket: a Complete may have written it to the cloud
public record UploadState(
        BucketRef bucket,
        String key,
        String uploadId,
        long createdMillis,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<String> checksumAlgorithm,
        boolean fullObjectChecksum,
        long home,
        Optional<Completing> completing) {
    /// From before a Complete writes to the cloud.
    ///
    /// @param replaces the version that the cloud had of the key; empty when it had none
    public record Completing(Optional<String> replaces) {}

    /// In the upload's folder: its record, the same as in the index.
    public static final String FILE = "upload";

    private static final int FORMAT = 3;

    public UploadState with(Optional<Completing> mark) {
        return new UploadState(
                bucket,
                key,
                uploadId,
                createdMillis,
                headers,
                userMetadata,
                checksumAlgorithm,
                fullObjectChecksum,
                home,
                mark);
    }

    public byte[] encode() {
        var out = new PackedWriter(FORMAT)
                .number(bucket.id())
                .text(bucket.name())
                .text(key)
                .text(uploadId)
                .number(createdMillis)
                .texts(headers)
                .texts(userMetadata)
                .text(checksumAlgorithm)
                .flag(fullObjectChecksum)
                .number(home)
                .flag(completing.isPresent());
        completing.ifPresent(mark -> out.text(mark.replaces()));
        return out.sealed();
    }

    public static UploadState decode(byte[] value) throws IOException {
        var in = new PackedReader("a multipart upload", value, FORMAT);
        long bucketId = in.number();
        var bucketName = in.text();
        var key = in.text();
        var uploadId = in.text();
        long created = in.number();
        var headers = in.texts();
        var userMetadata = in.texts();
        var algorithm = in.optionalText();
        boolean fullObject = in.flag();
        long home = in.number();
        return new UploadState(
                new BucketRef(bucketId, bucketName, 1, home > 0),
                key,
                uploadId,
                created,
                headers,
                userMetadata,
                algorithm,
                fullObject,
                home,
                in.flag() ? Optional.of(new Completing(in.optionalText())) : Optional.empty());
    }
}
