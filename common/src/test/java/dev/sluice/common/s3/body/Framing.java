package dev.sluice.common.s3.body;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.auth.Hmac;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/// The client's side of every framing.
enum Framing {
    PLAIN,
    HASHED,
    SIGNED,
    SIGNED_TRAILER,
    UNSIGNED_TRAILER;

    private static final Hmac KEY = Hmac.sha256("a signing key".getBytes(StandardCharsets.UTF_8));
    private static final String SCOPE = "20261105/us-east-1/s3/aws4_request";
    private static final String TIMESTAMP = "20261105T123456Z";
    private static final String SEED = "5eed".repeat(16);

    /// What goes over the wire for an object, and what its head says.
    static final class Message {
        private final byte[] wire;
        private final RequestHead head;
        private final BodyTerms terms;

        Message(byte[] wire, RequestHead head, BodyTerms terms) {
            this.wire = wire;
            this.head = head;
            this.terms = terms;
        }

        byte[] wire() {
            return wire;
        }

        RequestHead head() {
            return head;
        }

        BodyTerms terms() {
            return terms;
        }

        Message withWire(byte[] changed) {
            return new Message(changed, head, terms);
        }

        Message withTerms(BodyTerms changed) {
            return new Message(wire, head, changed);
        }

        Message withHeaders(Headers changed) {
            return new Message(wire, Framing.head(changed, head.contentLength()), terms);
        }
    }

    boolean chunked() {
        return this != PLAIN && this != HASHED;
    }

    boolean signed() {
        return this == SIGNED || this == SIGNED_TRAILER;
    }

    boolean trailer() {
        return this == SIGNED_TRAILER || this == UNSIGNED_TRAILER;
    }

    /// @param chunks how long each chunk is; they add up to the object
    Message message(byte[] object, List<Integer> chunks) {
        var terms = terms(object);
        if (!chunked()) {
            return new Message(object, head(Headers.EMPTY, object.length), terms);
        }
        var wire = new ByteArrayOutputStream();
        var signature = SEED;
        int at = 0;
        for (int length : chunks) {
            signature = chunk(wire, object, at, length, signature);
            at += length;
        }
        signature = chunk(wire, object, at, 0, signature);
        if (trailer()) {
            trailer(wire, object, signature);
        }
        wire.writeBytes(bytes("\r\n"));
        var headers = Headers.builder().add("x-amz-decoded-content-length", Integer.toString(object.length));
        if (trailer()) {
            headers.add("x-amz-trailer", "x-amz-checksum-crc32");
        }
        return new Message(wire.toByteArray(), head(headers.build(), wire.size()), terms);
    }

    private BodyTerms terms(byte[] object) {
        return switch (this) {
            case PLAIN -> new BodyTerms.Plain();
            case HASHED -> new BodyTerms.Hashed(sha256(object, 0, object.length));
            case SIGNED -> new BodyTerms.SignedChunks(SEED, KEY, SCOPE, TIMESTAMP, false);
            case SIGNED_TRAILER -> new BodyTerms.SignedChunks(SEED, KEY, SCOPE, TIMESTAMP, true);
            case UNSIGNED_TRAILER -> new BodyTerms.UnsignedChunksWithTrailer();
        };
    }

    private String chunk(ByteArrayOutputStream wire, byte[] object, int at, int length, String previous) {
        wire.writeBytes(bytes(Integer.toHexString(length)));
        var signature = previous;
        if (signed()) {
            signature = KEY.hex("AWS4-HMAC-SHA256-PAYLOAD\n" + TIMESTAMP + "\n" + SCOPE + "\n" + previous + "\n"
                    + sha256(object, 0, 0) + "\n" + sha256(object, at, length));
            wire.writeBytes(bytes(";chunk-signature=" + signature));
        }
        wire.writeBytes(bytes("\r\n"));
        if (length > 0) {
            wire.write(object, at, length);
            wire.writeBytes(bytes("\r\n"));
        }
        return signature;
    }

    private void trailer(ByteArrayOutputStream wire, byte[] object, String previous) {
        var line = "x-amz-checksum-crc32:" + crc32(object);
        wire.writeBytes(bytes(line + "\r\n"));
        if (signed()) {
            var hashed = bytes(line + "\n");
            wire.writeBytes(bytes("x-amz-trailer-signature:"
                    + KEY.hex("AWS4-HMAC-SHA256-TRAILER\n" + TIMESTAMP + "\n" + SCOPE + "\n" + previous + "\n"
                            + sha256(hashed, 0, hashed.length))
                    + "\r\n"));
        }
    }

    static RequestHead head(Headers headers, long contentLength) {
        var remote = InetSocketAddress.createUnresolved("client", 1);
        return new RequestHead("PUT", "/b/k", "", headers, contentLength, remote, false, "request");
    }

    static String crc32(byte[] object) {
        var hasher = Hasher.of(ChecksumAlgorithm.CRC32);
        hasher.add(ByteBuffer.wrap(object));
        return hasher.base64();
    }

    static String sha256(byte[] bytes, int offset, int length) {
        var hasher = Hasher.of(ChecksumAlgorithm.SHA256);
        hasher.add(ByteBuffer.wrap(bytes, offset, length));
        return HexFormat.of().formatHex(hasher.value());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
