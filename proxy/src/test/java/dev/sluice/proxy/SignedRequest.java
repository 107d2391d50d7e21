package dev.sluice.proxy;

import dev.sluice.common.auth.Hmac;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/// Requests as one line, `GET /bucket/key?query`, signed with SigV4 at the time of [TrialCluster#NOW] or not at all.
final class SignedRequest {
    static final String ACCESS_KEY = "the-access-key";
    static final String SECRET_KEY = "the-secret-key";
    private static final String TIME = "20260301T120000Z";

    private SignedRequest() {}

    static RequestHead anonymous(String line, String... headers) {
        int space = line.indexOf(' ');
        var target = line.substring(space + 1).split("\\?", 2);
        return new RequestHead(
                line.substring(0, space),
                target[0],
                target.length == 1 ? "" : target[1],
                Headers.of(withHost(headers)),
                0,
                InetSocketAddress.createUnresolved("client", 1),
                false,
                "request");
    }

    private static String[] withHost(String... headers) {
        if (Headers.of(headers).has("Host")) {
            return headers;
        }
        var all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "Host";
        all[headers.length + 1] = "sluice";
        return all;
    }

    /// What `x-amz-content-sha256` says.
    record Payload(String text) {
        static final Payload UNSIGNED_CHUNKS = new Payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER");
    }

    /// Signed for this body; another one may be sent.
    static RequestHead of(String line, String body, String... headers) {
        return signed("us-east-1", line, body, new Payload(sha256(body)), headers);
    }

    static RequestHead of(String line, String body, Payload payload, String... headers) {
        return signed("us-east-1", line, body, payload, headers);
    }

    static RequestHead inRegion(String region, String line, String body) {
        return signed(region, line, body, new Payload(sha256(body)));
    }

    private static RequestHead signed(String region, String line, String body, Payload payload, String... headers) {
        var head = anonymous(line, headers);
        var all = new ArrayList<>(Arrays.asList(withHost(headers)));
        all.addAll(List.of("x-amz-date", TIME, "x-amz-content-sha256", payload.text()));
        var signed = new ArrayList<String>();
        for (int i = 0; i < all.size(); i += 2) {
            var name = all.get(i).toLowerCase(java.util.Locale.ROOT);
            if (name.startsWith("x-amz-") || name.equals("host")) {
                signed.add(name + ":" + all.get(i + 1));
            }
        }
        signed.sort(null);
        var names = signed.stream()
                .map(field -> field.substring(0, field.indexOf(':')))
                .collect(Collectors.joining(";"));
        var query = Arrays.stream(head.query().split("&"))
                .filter(each -> !each.isEmpty())
                .map(each -> each.contains("=") ? each : each + "=")
                .sorted()
                .collect(Collectors.joining("&"));
        var canonical = String.join(
                "\n", head.method(), head.path(), query, String.join("\n", signed), "", names, payload.text());
        var scope = TIME.substring(0, 8) + "/" + region + "/s3/aws4_request";
        var toSign = String.join("\n", "AWS4-HMAC-SHA256", TIME, scope, sha256(canonical));
        var key = ("AWS4" + SECRET_KEY).getBytes(StandardCharsets.UTF_8);
        for (var part : scope.split("/")) {
            key = Hmac.sha256(key).sign(part);
        }
        all.add("Authorization");
        all.add("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s"
                .formatted(ACCESS_KEY, scope, names, Hmac.sha256(key).hex(toSign)));
        return new RequestHead(
                head.method(),
                head.path(),
                head.query(),
                Headers.of(all.toArray(String[]::new)),
                body.getBytes(StandardCharsets.UTF_8).length,
                head.remote(),
                false,
                head.requestId());
    }

    static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
