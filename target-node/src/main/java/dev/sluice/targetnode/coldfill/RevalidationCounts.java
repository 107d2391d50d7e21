package dev.sluice.targetnode.coldfill;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/// How cached objects of one bucket compared with the cloud's, since this target began.
public final class RevalidationCounts {
    /// What came of one comparison.
    public enum Outcome {
        SAME("same"),
        /// The cloud has another version, or none: the cached object was dropped.
        OUTDATED("outdated"),
        /// The cloud did not answer in time: a request was served what is here.
        UNCHECKED("unchecked");

        private final String word;

        Outcome(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    RevalidationCounts() {
        for (var outcome : Outcome.values()) {
            counts.put(outcome, new LongAdder());
        }
    }

    void count(Outcome outcome) {
        adder(outcome).increment();
    }

    public long of(Outcome outcome) {
        return adder(outcome).sum();
    }

    private LongAdder adder(Outcome outcome) {
        return Objects.requireNonNull(counts.get(outcome));
    }
}
