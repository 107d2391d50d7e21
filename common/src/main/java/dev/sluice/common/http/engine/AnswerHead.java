package dev.sluice.common.http.engine;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/// The status line and header fields of one answer, ready to be written. The engine's own fields (framing, connection,
/// date, server, request id) are added here and nowhere else; a handler's framing fields are left out.
///
/// @param framing the body's length, or [#CHUNKED], [#NO_BODY] or [#UNTIL_CLOSE]
record AnswerHead(int status, Headers headers, long framing, String requestId, boolean http10, boolean keepAlive) {
    static final long CHUNKED = -1;
    /// No body and no word about its length (204, 304).
    static final long NO_BODY = -2;
    /// A body of unknown length to an HTTP/1.0 client.
    static final long UNTIL_CLOSE = -3;

    private static final int OWN_FIELDS = 256;
    private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
    private static final byte[] CHUNKED_CODING = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
    private static final byte[] SERVER = ascii("Server: Sluice\r\n");
    private static final byte[] REQUEST_ID = ascii("x-amz-request-id: ");
    private static final byte[] DATE = ascii("Date: ");
    private static final byte[] END_OF_LINE = ascii("\r\n");
    private static final byte[][] STATUS_LINES = new byte[600][];

    static {
        for (int i = 100; i < STATUS_LINES.length; i++) {
            STATUS_LINES[i] =
                    ascii("HTTP/1.1 " + i + " " + HttpResponseStatus.valueOf(i).reasonPhrase() + "\r\n");
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// The head of an answer to this request.
    ///
    /// @param length the body's, or [#CHUNKED]
    /// @param reusable false when the connection cannot serve another request whatever the client wants
    static AnswerHead of(Response response, long length, RequestReader request, boolean reusable) {
        int status = response.status();
        if (status < 200 || status > 599) {
            throw new IllegalStateException("not a status of an answer: " + status);
        }
        boolean keep = request.keepAlive() && reusable;
        long framing = length;
        if (status == 204 || status == 304 || (length < 0 && request.isHead())) {
            framing = NO_BODY;
        } else if (length < 0 && request.http10()) {
            framing = UNTIL_CLOSE;
            keep = false;
        }
        return new AnswerHead(
                status, response.headers(), framing, request.head().requestId(), request.http10(), keep);
    }

    /// An upper bound of what [#writeTo] writes.
    int size() {
        var sum = new Sum();
        headers.forEach(sum::add);
        return OWN_FIELDS + sum.bytes;
    }

    /// @throws IllegalArgumentException when a field would break the message apart; nothing may be sent then
    void writeTo(ByteBuf out, DateLine date) {
        out.writeBytes(STATUS_LINES[status]);
        var fields = new FieldWriter(out);
        headers.forEach(fields::write);
        if (!fields.sawServer) {
            out.writeBytes(SERVER);
        }
        if (!fields.sawDate) {
            out.writeBytes(DATE).writeBytes(date.now()).writeBytes(END_OF_LINE);
        }
        if (!fields.sawRequestId) {
            out.writeBytes(REQUEST_ID);
            ByteBufUtil.writeAscii(out, requestId);
            out.writeBytes(END_OF_LINE);
        }
        if (framing >= 0) {
            out.writeBytes(CONTENT_LENGTH);
            writeNumber(out, framing);
            out.writeBytes(END_OF_LINE);
        } else if (framing == CHUNKED) {
            out.writeBytes(CHUNKED_CODING);
        }
        if (!keepAlive) {
            out.writeBytes(CLOSE);
        } else if (http10) {
            out.writeBytes(KEEP_ALIVE);
        }
        out.writeBytes(END_OF_LINE);
    }

    private static void writeNumber(ByteBuf out, long number) {
        if (number >= 10) {
            writeNumber(out, number / 10);
        }
        out.writeByte((int) ('0' + number % 10));
    }

    private static final class Sum {
        private int bytes;

        private void add(String name, String value) {
            bytes += name.length() + 3 * value.length() + 4;
        }
    }

    private static final class FieldWriter {
        private final ByteBuf out;
        private boolean sawServer;
        private boolean sawDate;
        private boolean sawRequestId;

        private FieldWriter(ByteBuf out) {
            this.out = out;
        }

        private void write(String name, String value) {
            if (isFraming(name)) {
                return;
            }
            sawServer |= name.equalsIgnoreCase("Server");
            sawDate |= name.equalsIgnoreCase("Date");
            sawRequestId |= name.equalsIgnoreCase("x-amz-request-id");
            HeaderFields.write(out, name, value);
        }

        private static boolean isFraming(String name) {
            return switch (name.length()) {
                case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
                case 14 -> name.equalsIgnoreCase("Content-Length");
                case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
                default -> false;
            };
        }
    }
}
