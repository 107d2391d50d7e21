package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// Requests as one line: `GET /bucket/key?query`, and headers.
final class Requests {
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1234);
    private static final S3RequestParser PARSER = new S3RequestParser();

    private Requests() {}

    static RequestHead head(String line, String... headers) {
        int space = line.indexOf(' ');
        int question = line.indexOf('?');
        var path = question < 0 ? line.substring(space + 1) : line.substring(space + 1, question);
        var query = question < 0 ? "" : line.substring(question + 1);
        return new RequestHead(
                line.substring(0, space), path, query, Headers.of(headers), 0, CLIENT, false, "request-1");
    }

    static S3Request parse(String line, String... headers) {
        return PARSER.parse(head(line, headers));
    }

    static <T extends S3Request> T parse(Class<T> action, String line, String... headers) {
        return action.cast(parse(line, headers));
    }

    /// The status and code that the request is refused with, or what it was taken for.
    static String refusal(String line, String... headers) {
        try {
            return parse(line, headers).toString();
        } catch (S3Failure failure) {
            return failure.error().status() + " " + failure.error().code();
        }
    }
}
