package dev.sluice.common.http;

/// A response. The engine adds Content-Length or Transfer-Encoding, Date, Server and the request id.
public record Response(int status, Headers headers, ResponseBody body) implements Answer {
    public static Response of(int status, Headers headers, ResponseBody body) {
        return new Response(status, headers, body);
    }

    public static Response empty(int status) {
        return new Response(status, Headers.EMPTY, ResponseBody.NONE);
    }

    public static Response text(int status, String contentType, String text) {
        return new Response(status, Headers.of("Content-Type", contentType), ResponseBody.text(text));
    }

    public Response with(Headers more) {
        return more.isEmpty()
                ? this
                : new Response(
                        status, Headers.builder().addAll(headers).addAll(more).build(), body);
    }

    @Override
    public Response with(String name, String value) {
        return new Response(status, headers.with(name, value), body);
    }
}
