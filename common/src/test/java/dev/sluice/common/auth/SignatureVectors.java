package dev.sluice.common.auth;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/// Requests signed by botocore; made by src/test/python/signature_vectors.py.
record SignatureVectors(String scheme, Instant time, RequestHead head) {
    static final AccessKey KEY = new AccessKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");

    /// Those that may be signed as they are: all but SigV2's in the header, and SigV2's of a bucket.
    static List<SignatureVectors> all() {
        return read().stream().filter(SignatureVectors::taken).toList();
    }

    private static boolean taken(SignatureVectors vector) {
        boolean ofBucket = vector.head().path().indexOf('/', 1) < 0;
        return switch (vector.scheme()) {
            case "v2-header" -> false;
            case "v2-query" -> !ofBucket;
            default -> true;
        };
    }

    private static List<SignatureVectors> read() {
        try (var in = Objects.requireNonNull(SignatureVectors.class.getResourceAsStream("signatures.tsv"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(SignatureVectors::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<SignatureVectors> of(String scheme) {
        return read().stream().filter(each -> each.scheme().equals(scheme)).toList();
    }

    private static SignatureVectors parse(String line) {
        var fields = line.split("\t", -1);
        var headers = Headers.builder();
        Arrays.stream(fields).skip(5).forEach(field -> {
            int equals = field.indexOf('=');
            headers.add(field.substring(0, equals), field.substring(equals + 1));
        });
        var time = Instant.ofEpochSecond(Long.parseLong(fields[1]));
        return new SignatureVectors(fields[0], time, head(fields[2], fields[3], fields[4], headers.build()));
    }

    static RequestHead head(String method, String path, String query, Headers headers) {
        return new RequestHead(
                method, path, query, headers, 0, InetSocketAddress.createUnresolved("client", 1), false, "request");
    }

    RequestHead withHeaders(Headers headers) {
        return head(head.method(), head.path(), head.query(), headers);
    }

    RequestHead withQuery(String query) {
        return head(head.method(), head.path(), query, head.headers());
    }

    /// The same request with one header's value replaced.
    RequestHead replacing(String name, String value) {
        var headers = Headers.builder();
        head.headers().forEach((each, old) -> headers.add(each, each.equalsIgnoreCase(name) ? value : old));
        return withHeaders(headers.build());
    }

    RequestHead without(String name) {
        var headers = Headers.builder();
        head.headers().forEach((each, value) -> {
            if (!each.equalsIgnoreCase(name)) {
                headers.add(each, value);
            }
        });
        return withHeaders(headers.build());
    }

    Caller authenticate(RequestHead changed) {
        return authenticator(time).authenticateOnObject(changed, changed.path());
    }

    static Authenticator authenticator(Instant now) {
        var ring = KeyRing.of(KEY);
        return Authenticator.of(() -> ring, "us-east-1", () -> now);
    }
}
