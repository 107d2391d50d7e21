package dev.sluice.cli.s3;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// AWS Signature Version 4 in a header, for the service s3. The path and query of the URI are signed as they are, so
/// they must be encoded the way S3 does (see S3Address).
public record SigV4Signer(Credentials credentials) {
    public static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /// The given headers with those that sign them: `x-amz-date`, `x-amz-content-sha256`, `authorization`.
    public SortedMap<String, String> sign(
            String method, URI uri, Map<String, String> headers, String payloadHash, Instant now) {
        var time = SECOND.format(now);
        var signed = new TreeMap<String, String>();
        headers.forEach((name, value) -> signed.put(name.toLowerCase(Locale.ROOT), value.strip()));
        signed.put("host", host(uri));
        signed.put("x-amz-content-sha256", payloadHash);
        signed.put("x-amz-date", time);
        var names = String.join(";", signed.keySet());
        var request = String.join(
                "\n",
                method,
                uri.getRawPath().isEmpty() ? "/" : uri.getRawPath(),
                query(uri),
                signed.entrySet().stream()
                        .map(header -> header.getKey() + ":" + header.getValue() + "\n")
                        .collect(Collectors.joining()),
                names,
                payloadHash);
        var day = time.substring(0, 8);
        var scope = day + "/" + credentials.region() + "/s3/aws4_request";
        var text = String.join("\n", ALGORITHM, time, scope, hex(sha256(request)));
        var signature = hex(hmac(key(day), text));
        signed.remove("host");
        signed.put(
                "authorization",
                "%s Credential=%s/%s,SignedHeaders=%s,Signature=%s"
                        .formatted(ALGORITHM, credentials.accessKey(), scope, names, signature));
        return signed;
    }

    private byte[] key(String day) {
        var secret = ("AWS4" + credentials.secretKey()).getBytes(StandardCharsets.UTF_8);
        return hmac(hmac(hmac(hmac(secret, day), credentials.region()), "s3"), "aws4_request");
    }

    private static String host(URI uri) {
        var standard = uri.getPort() < 0
                || (uri.getPort() == 80 && "http".equals(uri.getScheme()))
                || (uri.getPort() == 443 && "https".equals(uri.getScheme()));
        return standard ? uri.getHost() : uri.getHost() + ":" + uri.getPort();
    }

    private static String query(URI uri) {
        if (uri.getRawQuery() == null) {
            return "";
        }
        return Arrays.stream(uri.getRawQuery().split("&"))
                .map(pair -> pair.contains("=") ? pair : pair + "=")
                .sorted()
                .collect(Collectors.joining("&"));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("every JDK has SHA-256", absent);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("every JDK has HmacSHA256", absent);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
