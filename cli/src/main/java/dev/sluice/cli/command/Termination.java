package dev.sluice.cli.command;

import java.util.concurrent.CountDownLatch;

/// Ctrl-C and SIGTERM as an interrupt of the command, which then cleans up before the JVM ends.
final class Termination implements AutoCloseable {
    private final CountDownLatch finished = new CountDownLatch(1);

    private Termination() {}

    static Termination interrupting(Thread command) {
        var termination = new Termination();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            if (termination.finished.getCount() > 0) {
                                command.interrupt();
                                termination.awaitFinished();
                            }
                        },
                        "termination"));
        return termination;
    }

    private void awaitFinished() {
        try {
            finished.await();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        finished.countDown();
    }
}
