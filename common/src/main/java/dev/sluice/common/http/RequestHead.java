package dev.sluice.common.http;

import java.net.InetSocketAddress;

/// Everything of a request but its body.
///
/// @param path the path as it stands in the request line, still percent-encoded, without the query
/// @param query what follows the `?`, still percent-encoded; empty when there is none
/// @param contentLength the body's length; 0 when there is no body, [#UNKNOWN_LENGTH] for a chunked body
/// @param requestId made by the engine for every request; in every answer and log line
/// @param secure true when the request came over TLS
public record RequestHead(
        String method,
        String path,
        String query,
        Headers headers,
        long contentLength,
        InetSocketAddress remote,
        boolean secure,
        String requestId) {
    public static final long UNKNOWN_LENGTH = -1;

    private static final String PAGE = "/ui/";

    public boolean hasBody() {
        return contentLength != 0;
    }

    /// The same request without a header field.
    public RequestHead without(String header) {
        return new RequestHead(method, path, query, headers.without(header), contentLength, remote, secure, requestId);
    }

    /// The path as logs may show it: without the token in a link to the cluster's page, which lets whoever reads
    /// it look.
    public String loggedPath() {
        if (!path.startsWith(PAGE)) {
            return path;
        }
        int file = path.indexOf('/', PAGE.length());
        return file < 0 ? PAGE : PAGE + path.substring(file + 1);
    }
}
