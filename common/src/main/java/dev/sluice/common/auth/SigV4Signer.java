package dev.sluice.common.auth;

import dev.sluice.common.auth.KeyRing.Scope;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// AWS Signature Version 4 as a client makes it: in the Authorization header, for the service s3. Safe for
/// many threads.
public final class SigV4Signer {
    /// Payload hashes: of no body, and of one that is not signed.
    public static final String EMPTY = SignatureV4.EMPTY_BODY;

    public static final String UNSIGNED = BodyTerms.UNSIGNED_PAYLOAD;

    private final Credentials credentials;
    private volatile DayKey dayKey;

    public SigV4Signer(Credentials credentials) {
        this.credentials = credentials;
        this.dayKey = dayKey(RequestTime.of(Instant.EPOCH));
    }

    /// The key derived for one day: most of a signature's cost, and the same all day.
    private record DayKey(Scope scope, Hmac hmac) {}

    /// The payload hash of a body that is signed.
    public static String hash(byte[] body) {
        return Digests.sha256Hex(body);
    }

    /// The given headers with those that sign them: `x-amz-date`, `x-amz-content-sha256`, `authorization`.
    ///
    /// @param path as it is sent: encoded the way S3 does
    /// @param query as it is sent: encoded, its parameters sorted, each with its `=`; empty where there is none
    public SortedMap<String, String> sign(
            String method,
            String host,
            String path,
            String query,
            Map<String, String> headers,
            String payloadHash,
            Instant now) {
        var time = RequestTime.of(now);
        var signed = new TreeMap<String, String>();
        headers.forEach((name, value) -> signed.put(name.toLowerCase(Locale.ROOT), value.strip()));
        signed.put("host", host);
        signed.put("x-amz-content-sha256", payloadHash);
        signed.put("x-amz-date", time.text());
        var names = String.join(";", signed.keySet());
        var request = new StringBuilder(512);
        request.append(method)
                .append('\n')
                .append(path)
                .append('\n')
                .append(query)
                .append('\n');
        signed.forEach(
                (name, value) -> request.append(name).append(':').append(value).append('\n'));
        request.append('\n').append(names).append('\n').append(payloadHash);
        var key = keyOf(time);
        var signature = key.hmac()
                .hex(SignatureV4.ALGORITHM + "\n" + time.text() + "\n"
                        + key.scope().text() + "\n"
                        + Digests.sha256Hex(request.toString().getBytes(StandardCharsets.UTF_8)));
        signed.remove("host");
        signed.put(
                "authorization",
                SignatureV4.ALGORITHM + " Credential=" + credentials.accessKey() + "/"
                        + key.scope().text() + ", SignedHeaders=" + names + ", Signature=" + signature);
        return signed;
    }

    private DayKey keyOf(RequestTime time) {
        var known = dayKey;
        if (!known.scope().date().equals(time.date())) {
            known = dayKey(time);
            dayKey = known;
        }
        return known;
    }

    private DayKey dayKey(RequestTime time) {
        var scope = new Scope(credentials.accessKey(), time.date(), credentials.region());
        return new DayKey(scope, KeyRing.derive(credentials.secretKey(), scope));
    }
}
