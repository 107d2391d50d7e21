package dev.sluice.cli.demo;

import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.dataset.DataSetUpload;
import dev.sluice.cli.demo.dataset.ImageShards;
import dev.sluice.cli.demo.dataset.Manifest;
import dev.sluice.cli.demo.reading.EpochReader;
import dev.sluice.cli.demo.report.DemoReport;
import dev.sluice.cli.demo.report.DemoReport.DataSetFacts;
import dev.sluice.cli.demo.report.EpochReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The demo from data set to report: make pictures, put them into the cloud, read them through the proxy, once cold and
/// some times warm.
final class Demo {
    private final DemoOptions options;
    private final DemoClusters clusters;
    private final Consumer<String> progress;

    Demo(DemoOptions options, DemoClusters clusters, Consumer<String> progress) {
        this.options = options;
        this.clusters = clusters;
        this.progress = progress;
    }

    DemoReport run() throws IOException, InterruptedException {
        var images = new ImageShards(
                options.seed(), options.dataSet().shards(), options.dataSet().samplesPerShard());
        Manifest manifest = prepare(images);
        var reader = new EpochReader(clusters.proxy(), manifest, options.workers());
        var epochs = new ArrayList<EpochReport>();
        for (int number = 1; number <= 1 + options.warmEpochs(); number++) {
            epochs.add(epoch(number, reader));
        }
        var facts = new DataSetFacts(manifest.shards().size(), manifest.samples(), manifest.bytes(), images.gallery());
        return new DemoReport(facts, clusters.description(), options.workers(), epochs);
    }

    private Manifest prepare(ImageShards images) throws IOException, InterruptedException {
        progress.accept("Rendering %d x %d pictures into tar shards in the cloud"
                .formatted(images.shards(), images.samplesPerShard()));
        clusters.cloud().createBucket();
        Manifest manifest = upload(images);
        clusters.proxy().createBucket();
        var listed = new TreeSet<>(clusters.proxy().list());
        if (!listed.containsAll(manifest.keys())) {
            throw new IOException("the proxy lists only " + List.copyOf(listed) + " of the data set");
        }
        return manifest;
    }

    private Manifest upload(ImageShards images) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-demo-shards");
        try {
            return new DataSetUpload(images, clusters.cloud()).run(folder);
        } finally {
            Files.delete(folder);
        }
    }

    private EpochReport epoch(int number, EpochReader reader) throws InterruptedException {
        Traffic before = clusters.traffic();
        var outcome = reader.read(options.seed() + number);
        var report =
                new EpochReport(number, number == 1, outcome, clusters.traffic().since(before));
        progress.accept(String.format(
                Locale.ROOT,
                "Epoch %d (%s): %,.0f samples/s",
                number,
                report.temperature(),
                outcome.samplesPerSecond()));
        return report;
    }
}
