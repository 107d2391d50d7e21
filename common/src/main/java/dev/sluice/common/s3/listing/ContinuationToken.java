package dev.sluice.common.s3.listing;

import dev.sluice.common.s3.S3Failure;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// The opaque token of ListObjects V2: a format byte and the last key or common prefix of the page, in URL-safe base64,
/// so that any key survives XML and query strings.
public final class ContinuationToken {
    private static final byte FORMAT = 1;

    private ContinuationToken() {}

    public static String encode(String last) {
        var key = last.getBytes(StandardCharsets.UTF_8);
        var bytes = ByteBuffer.allocate(1 + key.length).put(FORMAT).put(key).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static String decode(String token) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(token));
            if (bytes.remaining() > 1 && bytes.get() == FORMAT) {
                return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            }
        } catch (IllegalArgumentException | CharacterCodingException _) {
            // Said below, like every other token that was not made here.
        }
        throw S3Failure.invalidArgument("continuation-token", token, "The continuation token provided is incorrect");
    }
}
