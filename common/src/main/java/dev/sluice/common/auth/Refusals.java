package dev.sluice.common.auth;

import dev.sluice.common.s3.S3Failure;

/// What a signature is refused with: Amazon's codes, each made in one place.
final class Refusals {
    private Refusals() {}

    static S3Failure accessDenied(String message) {
        return new S3Failure(403, "AccessDenied", message);
    }

    static S3Failure unknownKey(String accessKey) {
        return new S3Failure(
                403,
                "InvalidAccessKeyId",
                "The AWS Access Key Id you provided does not exist in our records: " + accessKey);
    }

    static S3Failure wrongSignature() {
        return new S3Failure(
                403,
                "SignatureDoesNotMatch",
                "The request signature we calculated does not match the signature you provided."
                        + " Check your key and signing method.");
    }

    static S3Failure skewed() {
        return new S3Failure(
                403,
                "RequestTimeTooSkewed",
                "The difference between the request time and the current time is too large.");
    }

    static S3Failure malformedHeader(String message) {
        return new S3Failure(
                400, "AuthorizationHeaderMalformed", "The authorization header is malformed; " + message + ".");
    }

    static S3Failure malformedQuery(String message) {
        return new S3Failure(400, "AuthorizationQueryParametersError", message + ".");
    }

    static S3Failure invalidArgument(String message) {
        return new S3Failure(400, "InvalidArgument", message);
    }
}
