package dev.sluice.cli.cluster;

import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;

/// Looks whether nodes can listen where they should, before anything is created.
final class Ports {
    private Ports() {}

    static void check(String host, List<Layout.Planned> nodes) {
        InetAddress address;
        try {
            address = InetAddress.getByName(host);
        } catch (UnknownHostException unknown) {
            throw CommandFailure.refused("--host " + host + " is not an address of this machine");
        }
        for (var node : nodes) {
            try (var socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(address, node.port()));
            } catch (IOException taken) {
                throw CommandFailure.refused("%s cannot listen on %s:%d: %s%s"
                        .formatted(node.id(), host, node.port(), reason(taken), hint(taken)));
            }
        }
    }

    private static String reason(IOException failure) {
        var message = String.valueOf(failure.getMessage());
        return message.contains("in use") ? "the port is in use" : message;
    }

    private static String hint(IOException failure) {
        return String.valueOf(failure.getMessage()).contains("in use")
                ? " (choose others with --port; proxy i takes port+i, target j port+100+j)"
                : "";
    }
}
