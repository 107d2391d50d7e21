package dev.sluice.common.s3;

/// A request that the protocol itself refuses (malformed, unauthenticated, not served): thrown by parsers and
/// verifiers,
/// caught only at the boundary around the router. Failures of the store are [dev.sluice.common.store.StoreException]s.
public final class S3Failure extends RuntimeException {
    private final S3Error error;

    public S3Failure(int status, String code, String message) {
        super(code + ": " + message);
        this.error = new S3Error(status, code, message);
    }

    public S3Error error() {
        return error;
    }
}
