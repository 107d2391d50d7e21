package io.netty.channel.epoll;

import java.io.IOException;

/// Here because Netty offers it to this package only.
public final class WatchedSocket {
    private WatchedSocket() {}

    /// Keeps a socket in epoll from now on, whatever is waited for. Netty 4.2.18 takes one out when nothing is, which
    /// is so when the client has sent all, and cannot put it in again: what did not fit into the socket's buffer is
    /// lost then. On its event loop.
    public static void keep(EpollSocketChannel socket) throws IOException {
        socket.setFlag(Native.EPOLLET);
    }
}
