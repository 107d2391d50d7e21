package dev.sluice.deploy.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/// A port for `up`: free with those that follow from it, and below the range that the kernel gives away by itself.
final class FreePorts {
    private static final int PROXIES = 4;
    private static final int TARGETS = 8;
    private static final int FIRST_TARGET = 100;
    private static final int LOWEST = 15_000;

    /// Each of the JVMs that run tests at once takes ports of its own.
    private static final int PER_FORK = 8000;

    private static final int FORKS = 2;

    private FreePorts() {}

    static int base() {
        int lowest = LOWEST + (Integer.getInteger("surefire.forkNumber", 1) - 1) % FORKS * PER_FORK;
        return ThreadLocalRandom.current()
                .ints(lowest, lowest + PER_FORK - FIRST_TARGET - TARGETS)
                .limit(1000)
                .filter(FreePorts::free)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no free ports"));
    }

    private static boolean free(int base) {
        return IntStream.concat(
                        IntStream.range(base, base + PROXIES),
                        IntStream.range(base + FIRST_TARGET, base + FIRST_TARGET + TARGETS))
                .allMatch(FreePorts::canListen);
    }

    private static boolean canListen(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
