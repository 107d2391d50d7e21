package dev.sluice.cli.demo.cloud;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// Finds where requests begin in the bytes a client sends on one kept-alive connection: heads, then bodies framed by
/// Content-Length or in chunks. It changes and keeps nothing but the current head. One thread at a time.
final class RequestScanner {
    private static final int LARGEST_HEAD = 64 << 10;

    private enum State {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        TRAILER
    }

    private final ByteArrayOutputStream line = new ByteArrayOutputStream(512);
    private State state = State.HEAD;
    private long remaining;
    private Optional<RequestLine> request = Optional.empty();

    /// The request whose head the last `scan` completed, if it did.
    Optional<RequestLine> completed() {
        return request;
    }

    /// Looks at bytes up to the end of a head, or at all of them. Returns how many it looked at.
    int scan(byte[] bytes, int from, int length) throws IOException {
        request = Optional.empty();
        int at = from;
        int end = from + length;
        while (at < end && request.isEmpty()) {
            if (state == State.BODY || state == State.CHUNK) {
                int taken = (int) Math.min(remaining, end - at);
                at += taken;
                remaining -= taken;
                if (remaining == 0) {
                    state = state == State.BODY ? State.HEAD : State.CHUNK_SIZE;
                }
            } else {
                line.write(bytes[at]);
                lineGrew(bytes[at++]);
            }
        }
        return at - from;
    }

    private void lineGrew(byte last) throws IOException {
        if (line.size() > LARGEST_HEAD) {
            throw new IOException("a request head over " + LARGEST_HEAD + " bytes");
        }
        if (last != '\n') {
            return;
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        switch (state) {
            case HEAD -> {
                if (text.equals("\r\n")) {
                    line.reset(); // an empty line before a request is allowed and means nothing
                } else if (text.endsWith("\r\n\r\n")) {
                    line.reset();
                    headEnded(text);
                }
            }
            case CHUNK_SIZE -> {
                line.reset();
                chunkBegins(text);
            }
            case TRAILER -> {
                line.reset();
                if (text.equals("\r\n")) {
                    state = State.HEAD;
                }
            }
            case BODY, CHUNK -> throw new IllegalStateException("a body has no lines");
        }
    }

    private void headEnded(String head) throws IOException {
        String[] lines = head.split("\r\n");
        String[] words = lines[0].split(" ");
        if (words.length != 3) {
            throw new IOException("not an HTTP request: '" + lines[0] + "'");
        }
        int query = words[1].indexOf('?');
        request = Optional.of(new RequestLine(words[0], query < 0 ? words[1] : words[1].substring(0, query)));
        remaining = 0;
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
            String value = lines[i].substring(colon + 1).strip();
            if (name.equals("transfer-encoding")
                    && value.toLowerCase(Locale.ROOT).endsWith("chunked")) {
                state = State.CHUNK_SIZE;
                return;
            }
            if (name.equals("content-length")) {
                remaining = number(value, 10);
            }
        }
        state = remaining > 0 ? State.BODY : State.HEAD;
    }

    private void chunkBegins(String text) throws IOException {
        int extension = text.indexOf(';');
        long size = number((extension < 0 ? text : text.substring(0, extension)).strip(), 16);
        // A chunk is followed by an empty line, which counts as part of it; the last one by trailers instead.
        remaining = size + 2;
        state = size == 0 ? State.TRAILER : State.CHUNK;
    }

    private static long number(String digits, int radix) throws IOException {
        try {
            return Long.parseLong(digits, radix);
        } catch (NumberFormatException e) {
            throw new IOException("not a length: '" + digits + "'", e);
        }
    }
}
