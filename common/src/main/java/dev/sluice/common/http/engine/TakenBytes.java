package dev.sluice.common.http.engine;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether a client is there and reads what it is sent. Its system takes some that it may never read.
final class TakenBytes {
    private static final Logger LOG = LoggerFactory.getLogger(TakenBytes.class);

    /// More than a system keeps for a program that reads nothing and asked for no larger buffer: 128 KiB on Linux.
    private static final long UNREAD = 256 << 10;

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    /// Of `tcpi_state`, a byte.
    private static final int STATE = 0;

    private static final int TCP_CLOSE = 7;

    /// Of `tcpi_bytes_acked` in `struct tcp_info`, a number of 64 bits.
    private static final int ACKED = 120;

    /// Of `tcpi_retransmits` and `tcpi_probes`, bytes: what was sent and not answered, one after the other.
    private static final int RETRANSMITS = 2;

    private static final int PROBES = 3;
    private static final int MOST_UNANSWERED = 2;

    private static final RawUnixChannelOption INFO =
            new RawUnixChannelOption("TCP_INFO", IPPROTO_TCP, TCP_INFO, ACKED + Long.BYTES);

    private TakenBytes() {}

    /// Asks the system. On its event loop.
    ///
    /// @return false where the system does not say it
    static boolean areSome(Channel channel) {
        return info(channel)
                .filter(info -> info.get(RETRANSMITS) <= MOST_UNANSWERED
                        && info.get(PROBES) <= MOST_UNANSWERED
                        && info.order(ByteOrder.nativeOrder()).getLong(ACKED) > UNREAD)
                .isPresent();
    }

    /// Whether the client has reset the connection. Asks the system, on the channel's event loop.
    ///
    /// @return false where the system does not say it
    static boolean isReset(Channel channel) {
        return info(channel).filter(info -> info.get(STATE) == TCP_CLOSE).isPresent();
    }

    private static Optional<ByteBuffer> info(Channel channel) {
        if (!(channel instanceof EpollSocketChannel socket)) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(socket.config().getOption(INFO))
                    .filter(info -> info.remaining() >= ACKED + Long.BYTES);
        } catch (ChannelException closed) {
            LOG.debug("the system says nothing of the connection of {}", channel.remoteAddress(), closed);
            return Optional.empty();
        }
    }
}
