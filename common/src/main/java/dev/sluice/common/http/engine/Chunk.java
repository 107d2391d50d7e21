package dev.sluice.common.http.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Chunked framing of bodies whose length is not known beforehand.
final class Chunk {
    private static final byte[] LAST = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_LINE = "\r\n".getBytes(StandardCharsets.US_ASCII);

    private Chunk() {}

    /// Writes the bytes as one chunk; takes over the reference. An empty buffer would end the body, so it is left out.
    ///
    /// @param sent completed when the chunk has left
    static void write(Channel channel, ByteBuf bytes, ChannelPromise sent) {
        if (!bytes.isReadable()) {
            var _ = channel.write(bytes, sent);
            return;
        }
        var size = channel.alloc().directBuffer(12);
        ByteBufUtil.writeAscii(size, Integer.toHexString(bytes.readableBytes()));
        size.writeBytes(END_OF_LINE);
        Unawaited.write(channel, size);
        Unawaited.write(channel, bytes);
        var _ = channel.write(Unpooled.wrappedBuffer(END_OF_LINE), sent);
    }

    static ByteBuf last() {
        return Unpooled.wrappedBuffer(LAST);
    }

    static ByteBuf last(Channel channel, HttpHeaders trailers) {
        if (trailers.isEmpty()) {
            return last();
        }
        var out = channel.alloc().directBuffer();
        out.writeByte('0').writeBytes(END_OF_LINE);
        for (Map.Entry<String, String> field : trailers) {
            HeaderFields.write(out, field.getKey(), field.getValue());
        }
        return out.writeBytes(END_OF_LINE);
    }
}
