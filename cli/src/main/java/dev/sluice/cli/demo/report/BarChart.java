package dev.sluice.cli.demo.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// One horizontal bar per epoch, with its figure beside it, as inline SVG.
record BarChart(String title, ToDoubleFunction<EpochReport> value, String unit) {
    private static final int WIDTH = 420;
    private static final int LABELS = 84;
    private static final int FIGURES = 96;
    private static final int ROW = 34;

    String svg(List<EpochReport> epochs) {
        double largest = epochs.stream().mapToDouble(value).max().orElse(0);
        String bars = epochs.stream()
                .map(epoch -> bar(epoch, epochs.indexOf(epoch) * ROW, largest))
                .collect(Collectors.joining());
        return String.format(
                Locale.ROOT,
                "<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%s</svg>"
                        + "</figure>",
                Markup.text(title),
                WIDTH,
                epochs.size() * ROW,
                Markup.text(title),
                bars);
    }

    private String bar(EpochReport epoch, int top, double largest) {
        double amount = value.applyAsDouble(epoch);
        double length = largest == 0 ? 0 : amount / largest * (WIDTH - LABELS - FIGURES);
        int middle = top + ROW / 2;
        return String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" class=\"end\">%d %s</text>"
                        + "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"4\"/>"
                        + "<text x=\"%.1f\" y=\"%d\" class=\"strong\">%s %s</text>",
                LABELS - 10,
                middle + 4,
                epoch.number(),
                epoch.temperature(),
                epoch.temperature(),
                LABELS,
                top + 6,
                Math.max(length, 2),
                ROW - 12,
                LABELS + length + 8,
                middle + 4,
                figure(amount),
                Markup.text(unit));
    }

    private static String figure(double amount) {
        boolean whole = amount >= 100 || amount == Math.rint(amount);
        return String.format(Locale.ROOT, whole ? "%,.0f" : "%,.1f", amount);
    }
}
