package dev.sluice.common.http.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;

/// A server could not be bound to its address; the message names the address and the reason.
public final class CannotListenException extends IOException {
    private final boolean inUse;

    CannotListenException(InetSocketAddress address, Throwable cause) {
        super("cannot listen on " + host(address) + ":" + address.getPort() + ": " + reason(cause), cause);
        this.inUse = saysInUse(cause);
    }

    /// True when another socket listens there already.
    public boolean inUse() {
        return inUse;
    }

    private static String host(InetSocketAddress address) {
        return address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    private static String reason(Throwable cause) {
        return saysInUse(cause) ? "the port is in use" : String.valueOf(cause.getMessage());
    }

    private static boolean saysInUse(Throwable cause) {
        return String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("address already in use");
    }
}
