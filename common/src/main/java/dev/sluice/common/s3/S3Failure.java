package dev.sluice.common.s3;

import dev.sluice.common.http.Headers;
import java.util.List;

/// A request that the protocol itself refuses (malformed, unauthenticated, not served): thrown by parsers and
/// verifiers, caught only at the boundary around the router. Failures of the store
/// are [dev.sluice.common.store.StoreException]s.
public final class S3Failure extends RuntimeException {
    private final S3Error error;
    private final Headers headers;

    /// With a message that says more than S3's sentence and the elements.
    ///
    /// @param values of the code's elements, in their order
    public S3Failure(S3Code code, String message, String... values) {
        this(code.error(message, values), Headers.EMPTY);
    }

    private S3Failure(S3Error error, Headers headers) {
        super(error.code() + ": " + error.text(), null, false, false); // refusals are not bugs: no stack trace
        this.error = error;
        this.headers = headers;
    }

    /// With S3's own sentence.
    ///
    /// @param values of the code's elements, in their order
    public static S3Failure of(S3Code code, String... values) {
        return new S3Failure(code.error(List.of(values)), Headers.EMPTY);
    }

    /// The resource exists but the method does nothing there.
    ///
    /// @param allow the methods that do, for the Allow header
    public static S3Failure methodNotAllowed(String method, String allow) {
        return new S3Failure(S3Code.METHOD_NOT_ALLOWED.error(List.of(method)), Headers.of("Allow", allow));
    }

    /// A part of S3 that is not served here and therefore must not be ignored.
    public static S3Failure notImplemented(String what) {
        return new S3Failure(S3Code.NOT_IMPLEMENTED, "Not served here: " + what);
    }

    /// A body that would come another way than by HTTP.
    public static S3Failure noRdma() {
        return new S3Failure(
                S3Code.NOT_IMPLEMENTED.error(
                        "Not served here: bodies by RDMA (x-amz-rdma-token). Send the body by HTTP.",
                        "x-amz-rdma-token"),
                Headers.of("x-amz-rdma-reply", "501"));
    }

    /// An argument of more than one header or parameter.
    public static S3Failure invalidArgument(String message) {
        return new S3Failure(S3Code.INVALID_ARGUMENT, message);
    }

    /// @param name of the header or parameter
    public static S3Failure invalidArgument(String name, String value, String message) {
        return new S3Failure(S3Code.INVALID_ARGUMENT, message, name, value);
    }

    public static S3Failure invalidRequest(String message) {
        return new S3Failure(S3Code.INVALID_REQUEST, message);
    }

    public S3Error error() {
        return error;
    }

    /// What the answer has besides.
    public Headers headers() {
        return headers;
    }
}
