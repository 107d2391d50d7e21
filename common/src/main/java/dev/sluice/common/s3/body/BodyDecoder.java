package dev.sluice.common.s3.body;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// Chooses how a body is read, from what its head and signature say of it.
public final class BodyDecoder {
    private static final String DECODED_LENGTH = "x-amz-decoded-content-length";

    private BodyDecoder() {}

    /// @param raw the body after HTTP's own transfer coding is taken off; closed with the result
    public static ObjectBody open(ByteSource raw, RequestHead head, BodyTerms terms) {
        return switch (terms) {
            case BodyTerms.Plain() -> plain(raw, head, Optional.empty());
            case BodyTerms.Hashed(var sha256) -> plain(raw, head, Optional.of(sha256));
            case BodyTerms.SignedChunks signed -> {
                var trailer = signed.trailer() ? announced(head) : EnumSet.noneOf(ChecksumAlgorithm.class);
                yield new ChunkedBody(raw, decodedLength(head), new ChunkSignatures.Chained(signed), trailer);
            }
            case BodyTerms.UnsignedChunksWithTrailer() ->
                new ChunkedBody(raw, decodedLength(head), new ChunkSignatures.None(), announced(head));
            case BodyTerms.UnverifiedChunks(var trailer) ->
                new ChunkedBody(
                        raw,
                        decodedLength(head),
                        new ChunkSignatures.Ignored(),
                        trailer ? announced(head) : EnumSet.noneOf(ChecksumAlgorithm.class));
        };
    }

    /// What only framing brings must not be announced without it: it would never come.
    private static PlainBody plain(ByteSource raw, RequestHead head, Optional<String> sha256) {
        var headers = head.headers();
        if (headers.has("x-amz-trailer")) {
            throw S3Failure.invalidRequest("x-amz-trailer needs a body with a trailer: x-amz-content-sha256 must be"
                    + " STREAMING-UNSIGNED-PAYLOAD-TRAILER or STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER.");
        }
        if (headers.has(DECODED_LENGTH) && decodedLength(head) != head.contentLength()) {
            throw S3Failure.invalidRequest(
                    "%s is %d and Content-Length %d, but x-amz-content-sha256 names no body in chunks (STREAMING-…)."
                            .formatted(DECODED_LENGTH, decodedLength(head), head.contentLength()));
        }
        return new PlainBody(raw, head.contentLength(), sha256);
    }

    private static long decodedLength(RequestHead head) {
        var declared = head.headers().first(DECODED_LENGTH);
        if (declared.isEmpty()) {
            return -1;
        }
        var text = declared.get().trim();
        if (text.isEmpty() || text.length() > 18 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw S3Failure.invalidArgument(DECODED_LENGTH, text, DECODED_LENGTH + " is not a length: " + text);
        }
        return Long.parseLong(text);
    }

    private static Set<ChecksumAlgorithm> announced(RequestHead head) {
        var announced = EnumSet.noneOf(ChecksumAlgorithm.class);
        for (var value : head.headers().all("x-amz-trailer")) {
            Arrays.stream(value.split(","))
                    .map(String::trim)
                    .filter(name -> !name.isEmpty())
                    .map(name -> ChecksumAlgorithm.ofHeader(name)
                            .orElseThrow(() -> new S3Failure(
                                    S3Code.INVALID_REQUEST,
                                    "The value specified in the x-amz-trailer header is not supported: " + name)))
                    .forEach(announced::add);
        }
        if (announced.size() > 1) {
            throw S3Failure.invalidRequest("Expecting a single checksum in x-amz-trailer, not " + announced);
        }
        return announced;
    }
}
