package dev.sluice.common.auth;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.SigV2Parameters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/// AWS Signature Version 2 in a presigned URL, which boto3 still makes for a custom endpoint. Source: Amazon S3
/// developer guide, "Signing and authenticating REST requests". It does not cover all of the query, so it is taken for
/// the actions on objects only; what these do must not depend on a parameter outside [SigV2Parameters].
final class SignatureV2 {
    static final String PREFIX = "AWS ";

    /// As SigV4's.
    private static final Duration LONGEST = Duration.ofDays(7);

    /// @param path on the wire, or, when the Host header names the bucket, the bucket and that
    Caller verifyQuery(RequestHead head, String path, SignedQuery query, KeyRing keys, Instant now) {
        query.refuseDuplicates(() -> Refusals.invalidArgument("A query parameter occurs more than once"));
        var expires = required(query, "Expires");
        var accessKey = required(query, "AWSAccessKeyId");
        // A '+' of base64 that the client left bare in the URL has become a space.
        var signature = required(query, "Signature").replace(' ', '+');
        long expiry;
        try {
            expiry = Long.parseLong(expires);
        } catch (NumberFormatException e) {
            throw Refusals.accessDenied("Invalid date (should be seconds since epoch): " + expires);
        }
        if (now.getEpochSecond() > expiry) {
            throw Refusals.accessDenied("Request has expired");
        }
        if (expiry - now.getEpochSecond() > LONGEST.toSeconds()) {
            throw Refusals.accessDenied("Expires must be at most seven days from now");
        }
        return verify(head, path, query, keys, accessKey, signature, expires);
    }

    private static Caller verify(
            RequestHead head,
            String path,
            SignedQuery query,
            KeyRing keys,
            String accessKey,
            String signature,
            String date) {
        var key = keys.find(accessKey).orElseThrow(() -> Refusals.unknownKey(accessKey));
        var mac = Hmac.sha1(key.secretKey().getBytes(StandardCharsets.UTF_8));
        var toSign = stringToSign(head, path, query, date);
        if (!signs(mac, toSign, signature)) {
            throw toSign.length() > Refusals.LARGEST_SHOWN
                    ? Refusals.wrongSignature(accessKey)
                    : Refusals.wrongSignature(accessKey, toSign, signature, Digests.spaced(toSign));
        }
        var terms = BodyTerms.of(
                head, head.headers().first("x-amz-content-sha256").orElse(BodyTerms.UNSIGNED_PAYLOAD), _ -> {
                    throw new S3Failure(
                            S3Code.INVALID_REQUEST, "Signed chunks need a request signed with AWS4-HMAC-SHA256.");
                });
        return new Caller(new Identity.User(accessKey), terms);
    }

    private static boolean signs(Hmac key, String text, String signature) {
        var mac = key.sign(Digests.wireBytes(text));
        return Digests.equal(Base64.getEncoder().encodeToString(mac), signature);
    }

    private static String stringToSign(RequestHead head, String path, SignedQuery query, String date) {
        var headers = head.headers();
        return head.method() + "\n"
                + headers.first("Content-MD5").map(String::trim).orElse("") + "\n"
                + headers.first("Content-Type").map(String::trim).orElse("") + "\n"
                + date + "\n" + canonicalHeaders(head, query) + canonicalResource(path, query);
    }

    /// The parser lets presigned URLs carry x-amz-* headers in their query, as boto3 makes them; so they are
    /// signed as if they were headers, and none can be added.
    private static String canonicalHeaders(RequestHead head, SignedQuery query) {
        var sorted = new TreeMap<String, String>();
        BiConsumer<String, String> add = (name, value) -> {
            if (SigV2Parameters.isSignedHeader(name)) {
                if (value.indexOf('\n') >= 0) { // it would read like the next header
                    throw Refusals.invalidArgument("A line break in the query parameter " + name);
                }
                sorted.merge(name.toLowerCase(Locale.ROOT), value.trim(), (first, second) -> first + "," + second);
            }
        };
        head.headers().forEach(add);
        for (var parameter : query.parameters()) {
            if (!head.headers().has(parameter.name())) { // sent both ways, a header counts once
                add.accept(parameter.name(), UriEncoding.decodedBytes(parameter.value()));
            }
        }
        var out = new StringBuilder();
        sorted.forEach(
                (name, value) -> out.append(name).append(':').append(value).append('\n'));
        return out.toString();
    }

    /// The path stays as it is on the wire.
    private static String canonicalResource(String path, SignedQuery query) {
        var signed = new TreeMap<String, SignedQuery.Parameter>();
        for (var parameter : query.parameters()) {
            if (SigV2Parameters.isSigned(parameter.name()) && signed.put(parameter.name(), parameter) != null) {
                throw Refusals.invalidArgument("A query parameter occurs more than once");
            }
        }
        var out = new StringJoiner("&", "?", "").setEmptyValue("");
        signed.forEach((name, parameter) ->
                out.add(parameter.assigned() ? name + "=" + UriEncoding.decodedBytes(parameter.value()) : name));
        return path + out;
    }

    private static String required(SignedQuery query, String name) {
        return query.value(name)
                .orElseThrow(() -> Refusals.accessDenied("Query-string authentication requires the Signature, Expires"
                        + " and AWSAccessKeyId parameters"));
    }
}
