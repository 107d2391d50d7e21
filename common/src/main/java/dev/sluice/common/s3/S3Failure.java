package dev.sluice.common.s3;

import java.util.Optional;

/// A request that the protocol itself refuses (malformed, unauthenticated, not served): thrown by parsers and
/// verifiers, caught only at the boundary around the router. Failures of the store are
/// [dev.sluice.common.store.StoreException]s.
public final class S3Failure extends RuntimeException {
    private final S3Error error;
    private final Optional<String> allow;

    public S3Failure(int status, String code, String message) {
        this(status, code, message, Optional.empty());
    }

    private S3Failure(int status, String code, String message, Optional<String> allow) {
        super(code + ": " + message, null, false, false); // refusals are not bugs: no stack trace
        this.error = new S3Error(status, code, message);
        this.allow = allow;
    }

    /// The resource exists but the method does nothing there.
    ///
    /// @param allow the methods that do, for the Allow header
    public static S3Failure methodNotAllowed(String allow) {
        return new S3Failure(
                405,
                "MethodNotAllowed",
                "The specified method is not allowed against this resource. Allowed: " + allow,
                Optional.of(allow));
    }

    /// A part of S3 that is not served here and therefore must not be ignored.
    public static S3Failure notImplemented(String what) {
        return new S3Failure(501, "NotImplemented", "Not served here: " + what);
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

    /// What the Allow header of a 405 says.
    public Optional<String> allow() {
        return allow;
    }
}
