package dev.sluice.common.http.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;

/// A server could not be bound to its address; the message names the address and the reason.
public final class CannotListenException extends IOException {
    CannotListenException(InetSocketAddress address, Throwable cause) {
        super("cannot listen on " + host(address) + ":" + address.getPort() + ": " + reason(cause), cause);
    }

    private static String host(InetSocketAddress address) {
        return address.isUnresolved()
                ? address.getHostString()
                : address.getAddress().getHostAddress();
    }

    private static String reason(Throwable cause) {
        var message = String.valueOf(cause.getMessage());
        return message.toLowerCase(Locale.ROOT).contains("address already in use") ? "the port is in use" : message;
    }
}
