package dev.sluice.common.auth;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.util.Arrays;

/// How a request's body is framed, and what its signature says about its bytes. Decided by `x-amz-content-sha256`.
public sealed interface BodyTerms {
    /// The object's bytes as they are, nothing promised.
    record Plain() implements BodyTerms {}

    /// The object's bytes as they are, with this SHA-256.
    ///
    /// @param sha256 64 hex digits in lower case
    record Hashed(String sha256) implements BodyTerms {}

    /// aws-chunked, each chunk signed, chained from the head's signature; with `trailer` a signed trailer follows.
    record SignedChunks(String seedSignature, Hmac signingKey, String scope, String timestamp, boolean trailer)
            implements BodyTerms {}

    /// aws-chunked without signatures, ended by a trailer.
    record UnsignedChunksWithTrailer() implements BodyTerms {}

    /// aws-chunked whose chunk signatures, if there are any, nobody here can check: the request was let in without one.
    record UnverifiedChunks(boolean trailer) implements BodyTerms {}

    String UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";

    /// Makes the terms of a body with signed chunks; only a SigV4 verification can.
    @FunctionalInterface
    interface SignedChunkTerms {
        BodyTerms make(boolean trailer);
    }

    /// The terms of a request that is let in for another reason than its signature (a redirect token, no
    /// authentication): framing and payload hash are honoured, signatures are not looked at.
    static BodyTerms unverified(RequestHead head) {
        return of(head, head.headers().first("x-amz-content-sha256").orElse(UNSIGNED_PAYLOAD), UnverifiedChunks::new);
    }

    /// @param contentSha256 the value of x-amz-content-sha256
    static BodyTerms of(RequestHead head, String contentSha256, SignedChunkTerms signedChunks) {
        return switch (contentSha256) {
            case UNSIGNED_PAYLOAD -> framedWithoutHash(head);
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" -> signedChunks.make(false);
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" -> signedChunks.make(true);
            case "STREAMING-UNSIGNED-PAYLOAD-TRAILER" -> new UnsignedChunksWithTrailer();
            case "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER" ->
                throw new S3Failure(S3Code.NOT_IMPLEMENTED, "SigV4A (" + contentSha256 + ") is not served.");
            default -> new Hashed(checkedHash(contentSha256));
        };
    }

    /// aws-chunked beside UNSIGNED-PAYLOAD still must not be stored with its framing.
    private static BodyTerms framedWithoutHash(RequestHead head) {
        var headers = head.headers();
        boolean framed = headers.has("x-amz-decoded-content-length")
                && headers.all("Content-Encoding").stream()
                        .flatMap(value -> Arrays.stream(value.split(",")))
                        .anyMatch(coding -> coding.trim().equalsIgnoreCase("aws-chunked"));
        return framed ? new UnverifiedChunks(headers.has("x-amz-trailer")) : new Plain();
    }

    private static String checkedHash(String value) {
        if (value.length() != 64 || !isLowerHex(value)) {
            throw S3Failure.invalidArgument(
                    "x-amz-content-sha256",
                    value,
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING-… value, or a valid sha256 value.");
        }
        return value;
    }

    private static boolean isLowerHex(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
                return false;
            }
        }
        return true;
    }
}
