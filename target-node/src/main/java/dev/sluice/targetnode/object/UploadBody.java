package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.body.ObjectBody;
import java.util.Map;
import java.util.function.Supplier;

/// An object's bytes on their way in, from a client or from another object.
///
/// @param length -1 when it is not known
/// @param trailers the checksums that came behind the bytes; to be asked after the last one
record UploadBody(ByteSource bytes, long length, Supplier<Map<ChecksumAlgorithm, String>> trailers) {
    /// @throws S3Failure when the client does not say how long the object is: S3 wants it, and so does the
    ///     drive's reserve
    static UploadBody of(ObjectBody body) {
        if (body.decodedLength() < 0) {
            throw S3Failure.of(S3Code.MISSING_CONTENT_LENGTH);
        }
        return new UploadBody(body, body.decodedLength(), body::trailers);
    }

    static UploadBody of(ByteSource bytes, long length) {
        return new UploadBody(bytes, length, Map::of);
    }
}
