package dev.sluice.common.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/// Small bodies read whole: JSON and XML documents, never object data.
public final class Bodies {
    private Bodies() {}

    /// @throws IOException when the sender broke off or sends more than `limit` bytes
    public static byte[] read(ByteSource body, int limit) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (var next = body.next(); next.hasRemaining(); next = body.next()) {
            if (bytes.size() + next.remaining() > limit) {
                throw new IOException("the body has more than " + limit + " bytes");
            }
            var copy = new byte[next.remaining()];
            next.get(copy);
            bytes.writeBytes(copy);
        }
        return bytes.toByteArray();
    }
}
