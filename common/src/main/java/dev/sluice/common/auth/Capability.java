package dev.sluice.common.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;

/// A statement signed by the cluster's own key, in URL-safe text: a version, when it ends, a slot epoch, an identity,
/// and an HMAC-SHA256 over those and over what the statement is about, which is not repeated in it.
final class Capability {
    private static final byte VERSION = 1;
    private static final int FIXED = 1 + Long.BYTES + Long.BYTES;
    private static final int MAC = 32;
    private static final int LONGEST = 2048;

    private final Hmac key;

    /// @param purpose keeps statements of one kind from being taken for another's
    Capability(byte[] clusterKey, String purpose) {
        if (clusterKey.length < 16) {
            throw new IllegalArgumentException("a cluster key of " + clusterKey.length + " bytes can be guessed");
        }
        this.key = Hmac.sha256(Hmac.sha256(clusterKey).sign(purpose));
    }

    String issue(Identity identity, long epoch, Instant expiry, String... about) {
        var who = identity.text().getBytes(StandardCharsets.UTF_8);
        var statement = ByteBuffer.allocate(FIXED + who.length)
                .put(VERSION)
                .putLong(expiry.toEpochMilli())
                .putLong(epoch)
                .put(who)
                .array();
        var token = Arrays.copyOf(statement, statement.length + MAC);
        System.arraycopy(mac(statement, about), 0, token, statement.length, MAC);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    TokenVerdict verify(String text, Instant now, String... about) {
        byte[] token;
        try {
            token = Base64.getUrlDecoder().decode(text.length() > LONGEST ? "" : text);
        } catch (IllegalArgumentException e) {
            return new TokenVerdict.Forged();
        }
        boolean canonical =
                Base64.getUrlEncoder().withoutPadding().encodeToString(token).equals(text);
        if (!canonical || token.length <= FIXED + MAC) {
            return new TokenVerdict.Forged();
        }
        var statement = Arrays.copyOf(token, token.length - MAC);
        var mac = Arrays.copyOfRange(token, token.length - MAC, token.length);
        if (!MessageDigest.isEqual(mac(statement, about), mac) || statement[0] != VERSION) {
            return new TokenVerdict.Forged();
        }
        var fields = ByteBuffer.wrap(statement, 1, statement.length - 1);
        var expiry = Instant.ofEpochMilli(fields.getLong());
        long epoch = fields.getLong();
        if (now.isAfter(expiry)) {
            return new TokenVerdict.Expired();
        }
        return Identity.ofText(StandardCharsets.UTF_8.decode(fields).toString())
                .<TokenVerdict>map(identity -> new TokenVerdict.Granted(identity, epoch))
                .orElseGet(TokenVerdict.Forged::new);
    }

    /// Each part goes in with its length, so that no two lists of parts are the same bytes.
    private byte[] mac(byte[] statement, String... about) {
        var parts = new byte[about.length][];
        int length = Integer.BYTES + statement.length;
        for (int i = 0; i < about.length; i++) {
            parts[i] = about[i].getBytes(StandardCharsets.UTF_8);
            length += Integer.BYTES + parts[i].length;
        }
        var message = ByteBuffer.allocate(length).putInt(statement.length).put(statement);
        for (var part : parts) {
            message.putInt(part.length).put(part);
        }
        return key.sign(message.array());
    }
}
