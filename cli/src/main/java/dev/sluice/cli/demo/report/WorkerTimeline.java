package dev.sluice.cli.demo.report;

import dev.sluice.cli.demo.reading.ShardRead;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What every worker did when: a row per worker, a block per shard, pale while it waited for the first byte. All epochs
/// are drawn to the same scale, so that the cold one shows what the cloud costs. Inline SVG.
record WorkerTimeline(Duration longest, int workers) {
    private static final int WIDTH = 880;
    private static final int ROW = 14;

    String svg(EpochReport epoch) {
        List<ShardRead> shards = epoch.outcome().shards();
        String blocks = shards.stream().map(this::block).collect(Collectors.joining());
        return String.format(
                Locale.ROOT,
                "<figure class=\"wide\"><figcaption>Epoch %d, %s: %.2f s</figcaption>"
                        + "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Workers over time in epoch %d\">"
                        + "<g class=\"%s\">%s</g></svg></figure>",
                epoch.number(),
                epoch.temperature(),
                epoch.outcome().elapsed().toNanos() / 1e9,
                WIDTH,
                workers * ROW + 2,
                epoch.number(),
                epoch.temperature(),
                blocks);
    }

    private String block(ShardRead shard) {
        double began = x(shard.began());
        double first = x(shard.firstByte());
        double ended = x(shard.ended());
        int top = shard.worker() * ROW + 1;
        return String.format(
                Locale.ROOT,
                "<rect class=\"waiting\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>"
                        + "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"><title>%s, worker %d: first byte after"
                        + " %.1f ms, done after %.1f ms</title></rect>",
                began,
                top,
                Math.max(first - began, 0),
                ROW - 3,
                first,
                top,
                Math.max(ended - first - 0.6, 0.4),
                ROW - 3,
                Markup.text(shard.key()),
                shard.worker(),
                millis(shard.firstByte().minus(shard.began())),
                millis(shard.ended().minus(shard.began())));
    }

    private double x(Duration at) {
        return at.toNanos() * (double) WIDTH / Math.max(longest.toNanos(), 1);
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
