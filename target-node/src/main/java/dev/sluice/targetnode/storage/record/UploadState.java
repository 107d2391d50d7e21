package dev.sluice.targetnode.storage.record;

import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;

/// A multipart upload that was begun: what the object will have besides its bytes.
///
/// @param checksumAlgorithm the one the client announced
/// @param fullObjectChecksum whether its value is over the whole object rather than over the parts' values
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
        Optional<Completing> completing) {
    /// From before a Complete writes to the cloud.
    ///
    /// @param replaces the version that the cloud had of the key; empty when it had none
    public record Completing(Optional<String> replaces) {}

    /// In the upload's folder: its record, the same as in the index.
    public static final String FILE = "upload";

    private static final int PLAIN = 1;
    private static final int COMPLETING = 2;

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
                mark);
    }

    public byte[] encode() {
        var out = new PackedWriter(completing.isPresent() ? COMPLETING : PLAIN)
                .number(bucket.id())
                .text(bucket.name())
                .text(key)
                .text(uploadId)
                .number(createdMillis)
                .texts(headers)
                .texts(userMetadata)
                .text(checksumAlgorithm)
                .flag(fullObjectChecksum);
        completing.ifPresent(mark -> out.text(mark.replaces()));
        return out.sealed();
    }

    public static UploadState decode(byte[] value) throws IOException {
        var in = new PackedReader("a multipart upload", value, COMPLETING);
        return new UploadState(
                new BucketRef(in.number(), in.text()),
                in.text(),
                in.text(),
                in.number(),
                in.texts(),
                in.texts(),
                in.optionalText(),
                in.flag(),
                in.format() < COMPLETING ? Optional.empty() : Optional.of(new Completing(in.optionalText())));
    }
}
