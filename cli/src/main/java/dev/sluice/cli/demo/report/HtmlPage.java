package dev.sluice.cli.demo.report;

import dev.sluice.cli.demo.cloud.RequestKind;
import dev.sluice.cli.demo.dataset.Bytes;
import dev.sluice.cli.demo.dataset.Motif;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/// The report as one file that needs nothing else: no script, no font, no picture from elsewhere. Well-formed XML too.
public final class HtmlPage {
    private static final List<BarChart> CHARTS = List.of(
            new BarChart("Samples per second", epoch -> epoch.outcome().samplesPerSecond(), ""),
            new BarChart("Throughput", epoch -> epoch.outcome().megabytesPerSecond(), "MB/s"),
            new BarChart(
                    "GETs the cloud had to answer", epoch -> epoch.traffic().count(RequestKind.GET), ""),
            new BarChart("Bytes the cloud had to send", epoch -> epoch.traffic().bytesDown() / 1e6, "MB"));

    private HtmlPage() {}

    public static String of(DemoReport report) throws IOException {
        return """
                <!DOCTYPE html>
                <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
                <head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>Sluice demo</title><style>
                %s</style></head>
                <body><main>
                <h1>Sluice demo</h1>
                <p class="lead">%s</p>
                %s
                <h2>Epochs</h2>
                %s
                <h2>What the cache does</h2>
                <div class="charts">%s</div>
                <h2>What the workers did</h2>
                <p class="lead">A row per worker, a block per shard; pale while waiting for the first byte. Same scale.</p>
                %s
                <h2>The pictures</h2>
                <div class="gallery">%s</div>
                </main></body></html>
                """.formatted(
                        style(),
                        lead(report),
                        verdict(report),
                        table(report.epochs()),
                        CHARTS.stream().map(chart -> chart.svg(report.epochs())).collect(Collectors.joining("\n")),
                        timelines(report),
                        gallery(report.dataSet().gallery()));
    }

    private static String lead(DemoReport report) {
        var data = report.dataSet();
        return Markup.text(String.format(
                Locale.ROOT,
                "%,d JPEG pictures in %d tar shards (%.1f MB), read by %d workers in random order through the proxy;"
                        + " every record's SHA-256 checked. The cloud: %s.",
                data.samples(),
                data.shards(),
                data.bytes() / 1e6,
                report.workers(),
                report.cloud()));
    }

    private static String verdict(DemoReport report) {
        if (report.good()) {
            return "<span class=\"verdict good\">Every digest right, every shard fetched once</span>";
        }
        return report.complaints().stream()
                .map(complaint -> "<li>" + Markup.text(complaint) + "</li>")
                .collect(Collectors.joining(
                        "", "<span class=\"verdict bad\">Not as promised</span><ul class=\"complaints\">", "</ul>"));
    }

    private static String table(List<EpochReport> epochs) {
        String head = Column.ALL.stream()
                .map(column -> "<th>" + Markup.text(column.title()) + "</th>")
                .collect(Collectors.joining());
        String rows = epochs.stream().map(HtmlPage::row).collect(Collectors.joining("\n"));
        return "<div class=\"scroll\"><table><thead><tr>" + head + "</tr></thead><tbody>" + rows
                + "</tbody></table></div>";
    }

    private static String row(EpochReport epoch) {
        return Column.ALL.stream()
                .map(column -> "<td class=\"%s\">%s</td>"
                        .formatted(
                                column.title().equals("cache") ? epoch.temperature() : "",
                                Markup.text(column.cell().apply(epoch))))
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }

    private static String timelines(DemoReport report) {
        Duration longest = report.epochs().stream()
                .map(epoch -> epoch.outcome().elapsed())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        var timeline = new WorkerTimeline(longest, report.workers());
        return report.epochs().stream().map(timeline::svg).collect(Collectors.joining("\n"));
    }

    private static String gallery(Map<Motif, Bytes> pictures) {
        return pictures.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each ->
                        "<figure><img alt=\"%s\" src=\"data:image/jpeg;base64,%s\"/><figcaption>%s</figcaption></figure>"
                                .formatted(
                                        each.getKey().title(),
                                        Base64.getEncoder()
                                                .encodeToString(each.getValue().copy()),
                                        each.getKey().title()))
                .collect(Collectors.joining());
    }

    private static String style() throws IOException {
        try (var css = Objects.requireNonNull(HtmlPage.class.getResourceAsStream("page.css"), "page.css")) {
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
