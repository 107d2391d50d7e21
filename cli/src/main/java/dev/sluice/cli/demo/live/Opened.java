package dev.sluice.cli.demo.live;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/// What has been started so far. Closed in the opposite order, each even if another one failed, also after Ctrl-C.
final class Opened implements Closeable {
    private final Deque<Closeable> opened = new ArrayDeque<>();

    void add(Closeable one) {
        opened.push(one);
    }

    @Override
    public void close() throws IOException {
        // An interrupt that is still set would break the reading of /proc and the deleting of files.
        boolean interrupted = Thread.interrupted();
        var failures = new ArrayDeque<Exception>();
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (IOException | RuntimeException failure) {
                failures.add(failure);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!failures.isEmpty()) {
            var first = failures.pop();
            var left = new IOException("the demo could not clean up: " + first.getMessage(), first);
            failures.forEach(left::addSuppressed);
            throw left;
        }
    }
}
