package dev.sluice.common.http.engine;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.InetSocketAddress;
import java.util.Optional;

/// A decoded request to our value, and the checks that the decoder leaves to us.
///
/// @param http10 the client speaks HTTP/1.0: no chunks, no `100 Continue`
/// @param keepAlive the client wants to use the connection again
/// @param expectsContinue the client waits for `100 Continue` before it sends the body
record RequestReader(RequestHead head, boolean http10, boolean keepAlive, boolean expectsContinue) {
    static RequestReader read(
            HttpRequest request, EngineConfig config, InetSocketAddress remote, boolean secure, String requestId)
            throws MalformedRequest {
        refuseUndecoded(request.decoderResult());
        var version = request.protocolVersion();
        if (version.majorVersion() != 1) {
            throw new MalformedRequest(505, "This server speaks HTTP/1.1.");
        }
        boolean http10 = version.equals(HttpVersion.HTTP_1_0);
        var headers = Headers.builder();
        var fields = new Fields();
        var each = request.headers().iteratorCharSequence();
        while (each.hasNext()) {
            var field = each.next();
            var name = field.getKey().toString();
            var value = field.getValue().toString();
            headers.add(name, value);
            fields.note(name, value);
        }
        if (fields.hosts > 1 || (fields.hosts == 0 && !http10)) {
            throw new MalformedRequest(400, "Exactly one Host header is needed.");
        }
        var target = target(request.uri(), config);
        int question = target.indexOf('?');
        var head = new RequestHead(
                request.method().name(),
                question < 0 ? target : target.substring(0, question),
                question < 0 ? "" : target.substring(question + 1),
                headers.build(),
                length(fields, http10),
                remote,
                secure,
                requestId);
        return new RequestReader(
                head,
                http10,
                http10 ? fields.keepAlive && !fields.close : !fields.close,
                fields.expectsContinue && !http10 && head.hasBody());
    }

    /// It may be carried out though its client has perhaps gone.
    boolean onlyReads() {
        return isHead() || head.method().equals("GET");
    }

    boolean isHead() {
        return head.method().equals("HEAD");
    }

    private static void refuseUndecoded(DecoderResult result) throws MalformedRequest {
        if (!result.isFailure()) {
            return;
        }
        throw switch (result.cause()) {
            case TooLongHttpLineException _ -> new MalformedRequest(414, "The request's URI is too long.");
            case TooLongHttpHeaderException _ -> new MalformedRequest(431, "The request's headers are too large.");
            default -> new MalformedRequest(400, "The request is malformed.");
        };
    }

    private static long length(Fields fields, boolean http10) throws MalformedRequest {
        if (fields.transferEncoding.isPresent()) {
            if (!fields.transferEncoding.get().equalsIgnoreCase("chunked")) {
                throw new MalformedRequest(400, "The only transfer coding served is chunked.");
            }
            if (http10 || fields.contentLength.isPresent()) {
                throw new MalformedRequest(400, "The request's length is ambiguous.");
            }
            return RequestHead.UNKNOWN_LENGTH;
        }
        return fields.contentLength.isEmpty() ? 0 : number(fields.contentLength.get());
    }

    private static long number(String digits) throws MalformedRequest {
        if (digits.isEmpty() || digits.length() > 18 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new MalformedRequest(400, "The Content-Length is not a number.");
        }
        return Long.parseLong(digits);
    }

    /// The path and query, also of a request in absolute form.
    private static String target(String uri, EngineConfig config) throws MalformedRequest {
        if (uri.length() > config.maxUriBytes()) {
            throw new MalformedRequest(414, "The request's URI is too long.");
        }
        for (int i = 0; i < uri.length(); i++) {
            if (uri.charAt(i) <= ' ' || uri.charAt(i) == 127) {
                throw new MalformedRequest(400, "The request's URI is malformed.");
            }
        }
        if (uri.startsWith("/") || uri.equals("*")) {
            return uri;
        }
        int scheme = uri.indexOf("://");
        if (scheme < 0) {
            throw new MalformedRequest(400, "The request's URI is malformed.");
        }
        int path = uri.indexOf('/', scheme + 3);
        return path < 0 ? "/" : uri.substring(path);
    }

    /// The fields that say how the message is framed and what becomes of the connection.
    private static final class Fields {
        private int hosts;
        private boolean close;
        private boolean keepAlive;
        private Optional<String> contentLength = Optional.empty();
        private Optional<String> transferEncoding = Optional.empty();
        /// Another expectation is ignored, as S3 ignores it.
        private boolean expectsContinue;

        private void note(String name, String value) throws MalformedRequest {
            switch (name.length()) {
                case 4 -> hosts += name.equalsIgnoreCase("Host") ? 1 : 0;
                case 6 -> expectsContinue |= name.equalsIgnoreCase("Expect") && value.equalsIgnoreCase("100-continue");
                case 10 -> {
                    if (name.equalsIgnoreCase("Connection")) {
                        close |= lists(value, "close");
                        keepAlive |= lists(value, "keep-alive");
                    }
                }
                case 14 -> contentLength = once(name, "Content-Length", value, contentLength);
                case 17 -> transferEncoding = once(name, "Transfer-Encoding", value, transferEncoding);
                default -> {}
            }
        }

        private static Optional<String> once(String name, String wanted, String value, Optional<String> before)
                throws MalformedRequest {
            if (!name.equalsIgnoreCase(wanted)) {
                return before;
            }
            if (before.isPresent()) {
                throw new MalformedRequest(400, wanted + " is given twice.");
            }
            return Optional.of(value);
        }

        private static boolean lists(String value, String token) {
            if (value.indexOf(',') < 0) {
                return value.equalsIgnoreCase(token);
            }
            for (var each : value.split(",")) {
                if (each.strip().equalsIgnoreCase(token)) {
                    return true;
                }
            }
            return false;
        }
    }
}
