package dev.sluice.cli.demo.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.cli.demo.cloud.RequestKind;
import java.util.Locale;

/// The report for programs.
public final class JsonReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonReport() {}

    public static String of(DemoReport report) {
        ObjectNode root = JSON.createObjectNode();
        root.put("good", report.good());
        root.put("cloud", report.cloud());
        root.put("workers", report.workers());
        root.put("shards", report.dataSet().shards());
        root.put("samples", report.dataSet().samples());
        root.put("bytes", report.dataSet().bytes());
        var epochs = root.putArray("epochs");
        report.epochs().forEach(epoch -> describe(epoch, epochs.addObject()));
        var complaints = root.putArray("complaints");
        report.complaints().forEach(complaints::add);
        return root.toPrettyString();
    }

    private static void describe(EpochReport epoch, ObjectNode node) {
        var outcome = epoch.outcome();
        node.put("epoch", epoch.number());
        node.put("cache", epoch.temperature());
        node.put("seconds", outcome.elapsed().toNanos() / 1e9);
        node.put("samples", outcome.samples());
        node.put("bytes", outcome.bytes());
        node.put("samples_per_second", outcome.samplesPerSecond());
        node.put("megabytes_per_second", outcome.megabytesPerSecond());
        var requests = node.putObject("backend_requests");
        for (RequestKind kind : RequestKind.values()) {
            requests.put(kind.name().toLowerCase(Locale.ROOT), epoch.traffic().count(kind));
        }
        node.put("backend_bytes", epoch.traffic().bytesDown());
        node.put("hit_rate", epoch.hitRate());
        node.put("digests_right", outcome.records().right());
        node.put("digests_wrong", outcome.records().wrong());
        node.put("records_missing", outcome.records().missing());
    }
}
