package dev.sluice.common.auth;

import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// What a signature is refused with: Amazon's codes, each made in one place.
final class Refusals {
    /// Characters of a canonical request: what is longer is not sent back.
    static final int LARGEST_SHOWN = 4 << 10;

    private Refusals() {}

    /// What S3 says otherwise than "Access Denied".
    static S3Failure accessDenied(String message) {
        return new S3Failure(S3Code.ACCESS_DENIED, message);
    }

    static S3Failure unknownKey(String accessKey) {
        return S3Failure.of(S3Code.INVALID_ACCESS_KEY_ID, accessKey);
    }

    /// @param values of S3's elements: what the client can compare with its own
    static S3Failure wrongSignature(String... values) {
        return S3Failure.of(S3Code.SIGNATURE_DOES_NOT_MATCH, values);
    }

    static S3Failure skewed(RequestTime time, Instant now) {
        return S3Failure.of(
                S3Code.REQUEST_TIME_TOO_SKEWED,
                time.text(),
                now.truncatedTo(ChronoUnit.SECONDS).toString(),
                Long.toString(RequestTime.WINDOW.toMillis()));
    }

    static S3Failure malformedHeader(String message) {
        return new S3Failure(
                S3Code.AUTHORIZATION_HEADER_MALFORMED, "The authorization header is malformed; " + message + ".");
    }

    /// The same refusal, with the region that a client may sign for instead.
    static S3Failure wrongRegion(S3Failure refusal, String expected) {
        return new S3Failure(refusal.error().kind(), refusal.error().message(), expected);
    }

    static S3Failure malformedQuery(String message) {
        return new S3Failure(S3Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR, message + ".");
    }

    static S3Failure invalidArgument(String message) {
        return new S3Failure(S3Code.INVALID_ARGUMENT, message);
    }
}
