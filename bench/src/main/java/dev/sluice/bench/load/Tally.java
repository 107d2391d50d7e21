package dev.sluice.bench.load;

import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// What happened in the measured time. Filled by one thread, merged afterwards; the histogram counts nanoseconds of
/// requests that succeeded, failures are counted by their cause only.
public final class Tally {
    private static final long LONGEST_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram latencies = new Histogram(1_000, LONGEST_NANOS, DIGITS);
    private final Map<String, Long> failures = new TreeMap<>();
    private long received;
    private long sent;
    private long keys;

    void success(long nanos, long bytesReceived, long bytesSent, int keysListed) {
        latencies.recordValue(Math.clamp(nanos, 1, LONGEST_NANOS));
        received += bytesReceived;
        sent += bytesSent;
        keys += keysListed;
    }

    void failure(String cause) {
        failures.merge(cause, 1L, Long::sum);
    }

    void add(Tally other) {
        latencies.add(other.latencies);
        other.failures.forEach((cause, count) -> failures.merge(cause, count, Long::sum));
        received += other.received;
        sent += other.sent;
        keys += other.keys;
    }

    public long operations() {
        return latencies.getTotalCount();
    }

    public long bytesReceived() {
        return received;
    }

    public long bytesSent() {
        return sent;
    }

    public long keysListed() {
        return keys;
    }

    public Map<String, Long> failures() {
        return Map.copyOf(failures);
    }

    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    public double percentileMillis(double percentile) {
        return latencies.getTotalCount() == 0 ? 0 : latencies.getValueAtPercentile(percentile) / 1e6;
    }

    public double maxMillis() {
        return latencies.getMaxValue() / 1e6;
    }
}
