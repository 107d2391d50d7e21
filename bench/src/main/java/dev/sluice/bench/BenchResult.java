package dev.sluice.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.bench.load.Tally;
import java.time.Duration;
import java.util.Locale;

/// A finished bench: what was asked, and what came out, for people and for programs.
record BenchResult(Operation operation, ByteSize size, int connections, Duration measured, Tally tally) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double MEBIBYTE = 1 << 20;

    String text() {
        var text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s %s, %d connections, %.1f s%n  %,.0f ops/s  %,.1f MiB/s",
                operation,
                size,
                connections,
                seconds(),
                perSecond(tally.operations()),
                mebibytesPerSecond()));
        if (operation == Operation.LIST) {
            text.append(String.format(Locale.ROOT, "  %,.0f keys/s", perSecond(tally.keysListed())));
        }
        text.append(String.format(
                Locale.ROOT,
                "%n  ms: p50 %.3f  p90 %.3f  p99 %.3f  p99.9 %.3f  max %.3f%n",
                tally.percentileMillis(50),
                tally.percentileMillis(90),
                tally.percentileMillis(99),
                tally.percentileMillis(99.9),
                tally.maxMillis()));
        tally.failures()
                .forEach((cause, count) -> text.append("  failed: ")
                        .append(count)
                        .append(" x ")
                        .append(cause)
                        .append(System.lineSeparator()));
        return text.toString();
    }

    String json() {
        ObjectNode root = JSON.createObjectNode();
        root.put("operation", operation.name().toLowerCase(Locale.ROOT));
        root.put("size", size.bytes());
        root.put("connections", connections);
        root.put("seconds", seconds());
        root.put("operations", tally.operations());
        root.put("ops_per_second", perSecond(tally.operations()));
        root.put("mib_per_second", mebibytesPerSecond());
        root.put("keys_per_second", perSecond(tally.keysListed()));
        var latency = root.putObject("latency_ms");
        latency.put("p50", tally.percentileMillis(50));
        latency.put("p90", tally.percentileMillis(90));
        latency.put("p99", tally.percentileMillis(99));
        latency.put("p99.9", tally.percentileMillis(99.9));
        latency.put("max", tally.maxMillis());
        var failures = root.putObject("failures");
        tally.failures().forEach(failures::put);
        return root.toPrettyString();
    }

    private double seconds() {
        return measured.toNanos() / 1e9;
    }

    private double perSecond(long count) {
        return count / seconds();
    }

    private double mebibytesPerSecond() {
        return (tally.bytesReceived() + tally.bytesSent()) / MEBIBYTE / seconds();
    }
}
