package dev.sluice.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// A port of the loopback interface that nobody listens on, below the range that the kernel gives to connections: one
/// of those could be taken again before it is listened on.
public final class FreePort {
    private static final int LOWEST = 5_000;
    private static final int HIGHEST = 15_000;

    private FreePort() {}

    public static int next() {
        return ThreadLocalRandom.current()
                .ints(LOWEST, HIGHEST)
                .limit(1000)
                .filter(FreePort::isFree)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no free port"));
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
