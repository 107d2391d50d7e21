package dev.sluice.proxy.s3;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.config.CorsRules;
import dev.sluice.common.s3.parse.UnreadRequest;
import java.util.List;
import java.util.stream.Stream;

/// The question of a browser (OPTIONS) whether a page of another origin may send a request.
///
/// @param method of that request
/// @param headers that it will have
/// @param onObject whether it concerns an object, not a bucket
record Preflight(String origin, String method, List<String> headers, boolean onObject) {
    static final String METHOD = "OPTIONS";
    static final String REQUEST_METHOD = "Access-Control-Request-Method";
    private static final String REQUEST_HEADERS = "Access-Control-Request-Headers";

    Preflight {
        headers = List.copyOf(headers);
    }

    /// @throws S3Failure when it does not say what it asks about
    static Preflight of(UnreadRequest request, RequestHead head) {
        var origin = head.headers()
                .first("Origin")
                .filter(each -> !each.isEmpty())
                .orElseThrow(() ->
                        new S3Failure(S3Code.BAD_REQUEST, "Insufficient information. Origin request header needed."));
        var method = head.headers().first(REQUEST_METHOD).orElse("null"); // which S3 says too
        if (!CorsRules.isMethod(method)) {
            throw new S3Failure(S3Code.BAD_REQUEST, "Invalid Access-Control-Request-Method: " + method);
        }
        var names = head.headers().all(REQUEST_HEADERS).stream()
                .flatMap(line -> Stream.of(line.split(",")))
                .toList();
        return new Preflight(origin, method, names, request.object().isPresent());
    }

    /// @throws S3Failure when the rules do not allow it
    Response answer(CorsRules rules) {
        if (rules.rules().isEmpty()) {
            throw refusal("CORSResponse: CORS is not enabled for this bucket.");
        }
        var allowed = rules.preflight(origin, method, headers)
                .orElseThrow(() -> refusal("CORSResponse: This CORS request is not allowed. This is usually because the"
                        + " evalution of Origin, request method / Access-Control-Request-Method or"
                        + " Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."));
        return Response.of(200, allowed, ResponseBody.NONE);
    }

    private S3Failure refusal(String message) {
        return new S3Failure(S3Code.ACCESS_FORBIDDEN, message, method, onObject ? "OBJECT" : "BUCKET");
    }
}
