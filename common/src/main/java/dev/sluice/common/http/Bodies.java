package dev.sluice.common.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/// Small bodies read whole: JSON and XML documents, never object data.
public final class Bodies {
    public static final class TooLarge extends IOException {
        private TooLarge(int limit) {
            super("the body has more than " + limit + " bytes");
        }
    }

    private Bodies() {}

    /// @throws TooLarge when the sender sends more than `limit` bytes
    /// @throws IOException when it broke off
    public static byte[] read(ByteSource body, int limit) throws IOException {
        var bytes = new ByteArrayOutputStream();
        for (var next = body.next(); next.hasRemaining(); next = body.next()) {
            if (bytes.size() + next.remaining() > limit) {
                throw new TooLarge(limit);
            }
            var copy = new byte[next.remaining()];
            next.get(copy);
            bytes.writeBytes(copy);
        }
        return bytes.toByteArray();
    }
}
