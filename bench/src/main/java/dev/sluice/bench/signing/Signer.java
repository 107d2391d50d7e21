package dev.sluice.bench.signing;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Signs requests with SigV4 over host, payload hash and date, which is all S3 wants. Safe for many threads.
public final class Signer {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String SIGNED_HEADERS = "host;x-amz-content-sha256;x-amz-date";

    private final Credentials credentials;
    private volatile DayKey dayKey = new DayKey("", new byte[0]);

    public Signer(Credentials credentials) {
        this.credentials = credentials;
    }

    /// The key derived for one day: most of a signature's cost, and the same all day.
    private static final class DayKey {
        private final String day;
        private final byte[] key;

        DayKey(String day, byte[] key) {
            this.day = day;
            this.key = key;
        }
    }

    /// The header lines to add to a request, each ending in CRLF. Path and query stand as they are sent: encoded, the
    /// query's parameters sorted and each with its `=`.
    public String headerLines(
            String method, String host, String path, String query, String payloadHash, Instant instant) {
        String time = TIME.format(instant);
        String day = time.substring(0, 8);
        String scope = day + "/" + credentials.region() + "/s3/aws4_request";
        String canonical = method + "\n" + path + "\n" + query + "\nhost:" + host + "\nx-amz-content-sha256:"
                + payloadHash + "\nx-amz-date:" + time + "\n\n" + SIGNED_HEADERS + "\n" + payloadHash;
        String toSign = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + PayloadHash.of(canonical);
        String signature = HexFormat.of().formatHex(hmac(key(day), toSign));
        return "x-amz-date: " + time + "\r\nx-amz-content-sha256: " + payloadHash
                + "\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + credentials.accessKey() + "/" + scope
                + ", SignedHeaders=" + SIGNED_HEADERS + ", Signature=" + signature + "\r\n";
    }

    private byte[] key(String day) {
        DayKey known = dayKey;
        if (!known.day.equals(day)) {
            byte[] secret = ("AWS4" + credentials.secretKey()).getBytes(StandardCharsets.UTF_8);
            byte[] regional = hmac(hmac(secret, day), credentials.region());
            known = new DayKey(day, hmac(hmac(regional, "s3"), "aws4_request"));
            dayKey = known;
        }
        return known.key;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
