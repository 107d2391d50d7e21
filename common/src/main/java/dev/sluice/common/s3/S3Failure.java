package dev.sluice.common.s3;

import dev.sluice.common.http.Headers;

/// A request that the protocol itself refuses (malformed, unauthenticated, not served): thrown by parsers and
/// verifiers, caught only at the boundary around the router. Failures of the store are
/// [dev.sluice.common.store.StoreException]s.
public final class S3Failure extends RuntimeException {
    private final S3Error error;
    private final Headers headers;

    public S3Failure(int status, String code, String message) {
        this(status, code, message, Headers.EMPTY);
    }

    private S3Failure(int status, String code, String message, Headers headers) {
        super(code + ": " + message, null, false, false); // refusals are not bugs: no stack trace
        this.error = new S3Error(status, code, message);
        this.headers = headers;
    }

    /// The resource exists but the method does nothing there.
    ///
    /// @param allow the methods that do, for the Allow header
    public static S3Failure methodNotAllowed(String allow) {
        return new S3Failure(
                405,
                "MethodNotAllowed",
                "The specified method is not allowed against this resource. Allowed: " + allow,
                Headers.of("Allow", allow));
    }

    /// A part of S3 that is not served here and therefore must not be ignored.
    public static S3Failure notImplemented(String what) {
        return new S3Failure(501, "NotImplemented", "Not served here: " + what);
    }

    /// A body that would come another way than by HTTP.
    public static S3Failure noRdma() {
        return new S3Failure(
                501,
                "NotImplemented",
                "Not served here: bodies by RDMA (x-amz-rdma-token). Send the body by HTTP.",
                Headers.of("x-amz-rdma-reply", "501"));
    }

    public static S3Failure invalidArgument(String message) {
        return new S3Failure(400, "InvalidArgument", message);
    }

    public static S3Failure invalidRequest(String message) {
        return new S3Failure(400, "InvalidRequest", message);
    }

    public S3Error error() {
        return error;
    }

    /// What the answer has besides.
    public Headers headers() {
        return headers;
    }
}
