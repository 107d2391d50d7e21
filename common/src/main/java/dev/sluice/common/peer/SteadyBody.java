package dev.sluice.common.peer;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// An answer whose bytes must go on coming: where the sender is gone without a word, or frozen, the read ends with an
/// [SilentException]. How long the reader takes between reads does not matter. For one reader.
public final class SteadyBody extends InputStream {
    private static final long NOT_READING = Long.MIN_VALUE;

    /// Its looks never block but for the closing of a body that is silent.
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("silent peers").daemon().factory());

    /// No byte came for too long.
    public static final class SilentException extends IOException {
        private SilentException(Duration patience, IOException cause) {
            super("no byte came for " + patience.toMillis() + " ms", cause);
        }
    }

    private final InputStream body;
    private final Duration patience;
    private final Future<?> watch;
    private volatile long reading = NOT_READING;
    private volatile boolean silent;

    /// @param body ends its read when another thread closes it
    /// @param patience how long a read may take, about
    public SteadyBody(InputStream body, Duration patience) {
        this.body = body;
        this.patience = patience;
        long pause = patience.toNanos() / 4;
        this.watch = TIMER.scheduleWithFixedDelay(this::look, pause, pause, TimeUnit.NANOSECONDS);
    }

    private void look() {
        long since = reading;
        if (since != NOT_READING && System.nanoTime() - since > patience.toNanos()) {
            silent = true;
            watch.cancel(false);
            closeQuietly();
        }
    }

    private void closeQuietly() {
        try {
            body.close();
        } catch (IOException _) {
            // the reader is told what it waited for
        }
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        reading = System.nanoTime();
        try {
            return body.read(into, offset, length);
        } catch (IOException failure) {
            if (silent) {
                throw new SilentException(patience, failure);
            }
            throw failure;
        } finally {
            reading = NOT_READING;
        }
    }

    @Override
    public int available() throws IOException {
        return body.available();
    }

    @Override
    public void close() throws IOException {
        watch.cancel(false);
        body.close();
    }
}
