package dev.sluice.cli.demo.report;

import dev.sluice.cli.demo.dataset.Bytes;
import dev.sluice.cli.demo.dataset.Motif;
import java.util.List;
import java.util.Map;

/// The whole demo: what was read, from where, how each epoch went.
public record DemoReport(DataSetFacts dataSet, String cloud, int workers, List<EpochReport> epochs) {
    public DemoReport {
        epochs = List.copyOf(epochs);
    }

    /// The data set in figures, and one picture of each class.
    public record DataSetFacts(int shards, long samples, long bytes, Map<Motif, Bytes> gallery) {
        public DataSetFacts {
            gallery = Map.copyOf(gallery);
        }
    }

    public List<String> complaints() {
        return epochs.stream().flatMap(epoch -> epoch.complaints().stream()).toList();
    }

    public boolean good() {
        return complaints().isEmpty();
    }
}
