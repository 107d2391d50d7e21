package dev.sluice.targetnode.storage.record;

import java.io.IOException;
import java.util.Optional;
import java.util.SortedMap;

/// A multipart upload that was begun: what the object will have besides its bytes.
///
/// @param checksumAlgorithm the one the client announced
/// @param fullObjectChecksum whether its value is over the whole object rather than over the parts' values
public record UploadState(
        BucketRef bucket,
        String key,
        String uploadId,
        long createdMillis,
        SortedMap<String, String> headers,
        SortedMap<String, String> userMetadata,
        Optional<String> checksumAlgorithm,
        boolean fullObjectChecksum) {
    /// In the upload's folder: its record, the same as in the index.
    public static final String FILE = "upload";

    private static final int FORMAT = 1;

    public byte[] encode() {
        return new PackedWriter(FORMAT)
                .number(bucket.id())
                .text(bucket.name())
                .text(key)
                .text(uploadId)
                .number(createdMillis)
                .texts(headers)
                .texts(userMetadata)
                .text(checksumAlgorithm)
                .flag(fullObjectChecksum)
                .sealed();
    }

    public static UploadState decode(byte[] value) throws IOException {
        var in = new PackedReader("a multipart upload", value, FORMAT);
        return new UploadState(
                new BucketRef(in.number(), in.text()),
                in.text(),
                in.text(),
                in.number(),
                in.texts(),
                in.texts(),
                in.optionalText(),
                in.flag());
    }
}
