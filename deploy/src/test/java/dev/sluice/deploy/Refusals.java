package dev.sluice.deploy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;

/// How often a request of a client was refused until now, when and why: the first times and the last one.
final class Refusals {
    private static final int FIRST = 5;

    private final String what;
    private final long began = System.nanoTime();
    private final List<String> first = new ArrayList<>();
    private String last = "";
    private int number;

    /// @param what is asked for
    Refusals(String what) {
        this.what = what;
    }

    long began() {
        return began;
    }

    synchronized void add(SdkException why) {
        number++;
        last = "at %d ms: %s"
                .formatted(Duration.ofNanos(System.nanoTime() - began).toMillis(), why.getMessage());
        if (first.size() < FIRST) {
            first.add(last);
        }
    }

    @Override
    public synchronized String toString() {
        return number == 0 ? what : "%s, refused %d times: %s ... %s".formatted(what, number, first, last);
    }
}
