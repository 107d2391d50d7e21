package dev.sluice.bench.workload;

import dev.sluice.bench.load.Step;
import dev.sluice.bench.load.Workload;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Writes every object of the set once.
public final class Preparation implements Workload {
    private final KeySpace keys;
    private final AtomicInteger next = new AtomicInteger();

    public Preparation(KeySpace keys) {
        this.keys = keys;
    }

    @Override
    public Session session(int connection) {
        return () -> {
            int number = next.getAndIncrement();
            return number < keys.count() ? Optional.of(Step.put(keys.path(number), false)) : Optional.empty();
        };
    }
}
