package dev.sluice.common.s3.answer;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.HttpDate;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.http.Route;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Error;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Errors and XML documents as responses. Never blocks.
public final class S3Responses {
    private static final Headers XML = Headers.of("Content-Type", "application/xml");
    private static final String SOON = "1";

    private S3Responses() {}

    /// A document made by one of this package's writers, status 200.
    public static Response xml(ByteBuffer document) {
        return Response.of(200, XML, new ResponseBody.Bytes(document));
    }

    /// The declaration alone, for an answer that is streamed after it.
    public static ByteBuffer xmlDeclaration() {
        return ByteBuffer.wrap(XmlWriter.DECLARATION.getBytes(StandardCharsets.US_ASCII));
    }

    public static Response error(StoreException failure, RequestHead head) {
        var error = S3Errors.of(failure);
        return switch (failure) {
            case StoreException.NotModified same -> notModified(same);
            case StoreException.RangeNotSatisfiable outside ->
                error(outside(outside, error, head), head).with("Content-Range", "bytes */" + outside.size());
            case StoreException.NotPrimary _ -> error(error, head).with(Route.NOT_PRIMARY, "1");
            case StoreException.Unavailable unavailable -> {
                long seconds =
                        Math.max(1, unavailable.retryAfter().plusMillis(999).toSeconds());
                yield error(error, head, Headers.of("Retry-After", Long.toString(seconds)));
            }
            default -> error(error, head);
        };
    }

    private static S3Error outside(StoreException.RangeNotSatisfiable failure, S3Error error, RequestHead head) {
        return head.headers()
                .first("Range")
                .map(asked -> S3Code.INVALID_RANGE.error(List.of(Long.toString(failure.size()), asked)))
                .orElse(error);
    }

    /// What RFC 9110 §15.4.5 has a 304 repeat of the answer with 200.
    private static Response notModified(StoreException.NotModified same) {
        var headers = Headers.builder()
                .add("ETag", '"' + same.etag() + '"')
                .add("Last-Modified", HttpDate.format(same.modified()));
        same.caching().forEach(headers::add);
        return Response.of(304, headers.build(), ResponseBody.NONE);
    }

    public static Response error(S3Failure failure, RequestHead head) {
        return error(
                failure.error(),
                head,
                Headers.builder()
                        .addAll(retryAfter(failure.error()))
                        .addAll(failure.headers())
                        .build());
    }

    /// No body in answer to HEAD.
    public static Response error(S3Error error, RequestHead head) {
        return error(error, head, retryAfter(error));
    }

    /// Every 503 says when to come back.
    private static Headers retryAfter(S3Error error) {
        return error.status() == 503 ? Headers.of("Retry-After", SOON) : Headers.EMPTY;
    }

    private static Response error(S3Error error, RequestHead head, Headers extra) {
        if (head.method().equals("HEAD")) {
            return Response.of(error.status(), extra, ResponseBody.NONE);
        }
        var document = ErrorXml.document(error, head.path(), head.requestId());
        return Response.of(
                error.status(), Headers.builder().addAll(XML).addAll(extra).build(), new ResponseBody.Bytes(document));
    }
}
