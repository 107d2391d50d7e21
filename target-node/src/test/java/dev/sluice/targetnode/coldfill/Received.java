package dev.sluice.targetnode.coldfill;

import dev.sluice.common.http.ByteSink;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// What a client has in the end.
public final class Received {
    private final int status;
    private final Headers headers;
    private final byte[] body;
    private final Optional<Exception> broken;

    public Received(int status, Headers headers, byte[] body, Optional<Exception> broken) {
        this.status = status;
        this.headers = headers;
        this.body = body.clone();
        this.broken = broken;
    }

    public int status() {
        return status;
    }

    public byte[] body() {
        return body.clone();
    }

    /// Why the body ended before its promised length.
    public Optional<Exception> broken() {
        return broken;
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public String header(String name) {
        return headers.first(name).orElse("");
    }

    /// All headers of this name.
    public List<String> headers(String name) {
        return headers.all(name);
    }

    /// Takes the whole answer, as the engine would.
    public static Received of(Response response) {
        var bytes = new ByteArrayOutputStream();
        return of(response, bytes, buffer -> {
            var copy = new byte[buffer.remaining()];
            buffer.get(copy);
            bytes.writeBytes(copy);
        });
    }

    /// @param sink told of every buffer
    static Received of(Response response, ByteArrayOutputStream bytes, ByteSink sink) {
        Optional<Exception> broken = Optional.empty();
        try {
            switch (response.body()) {
                case ResponseBody.Bytes(var content) -> sink.write(content.duplicate());
                case ResponseBody.LengthOnly _ -> {}
                case ResponseBody.Streamed(var length, var writer) -> {
                    writer.writeTo(sink);
                    if (length != RequestHead.UNKNOWN_LENGTH && bytes.size() != length) {
                        broken = Optional.of(new IOException(bytes.size() + " bytes instead of " + length));
                    }
                }
                case ResponseBody.FileRange(var file, var offset, var length) -> {
                    try (file) {
                        for (long at = 0; at < length; ) {
                            int window = (int) Math.min(1 << 20, length - at);
                            var buffer = ByteBuffer.allocateDirect(window);
                            file.fetch(offset + at, buffer)
                                    .toCompletableFuture()
                                    .join();
                            sink.write(buffer.flip());
                            at += window;
                        }
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            broken = Optional.of(e);
        }
        return new Received(response.status(), response.headers(), bytes.toByteArray(), broken);
    }
}
