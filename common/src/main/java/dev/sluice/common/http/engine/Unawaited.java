package dev.sluice.common.http.engine;

import io.netty.channel.Channel;

/// Channel operations whose outcome is learned elsewhere: a write that fails reaches the pipeline's `exceptionCaught`,
/// which closes the connection, and a closed one reaches `channelInactive`.
final class Unawaited {
    private Unawaited() {}

    static void write(Channel channel, Object message) {
        var _ = channel.write(message, channel.voidPromise());
    }

    static void close(Channel channel) {
        var _ = channel.close();
    }
}
