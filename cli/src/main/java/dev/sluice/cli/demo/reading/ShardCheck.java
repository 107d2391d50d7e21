package dev.sluice.cli.demo.reading;

import dev.sluice.cli.demo.dataset.Manifest.ShardManifest;
import dev.sluice.cli.demo.dataset.Sample;
import dev.sluice.cli.demo.dataset.TarReader;
import dev.sluice.cli.demo.reading.ShardRead.RecordCounts;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Compares the records of one shard with the manifest while they stream in. One thread at a time.
final class ShardCheck {
    private final ShardManifest expected;
    private final Set<String> seen = new HashSet<>();
    private long right;
    private long wrong;

    ShardCheck(ShardManifest expected) {
        this.expected = expected;
    }

    /// Reads to the end of the shard. What was compared before a failure still counts.
    void read(InputStream shard) throws IOException {
        var records = new RecordReader(new TarReader(shard));
        for (var record = records.next(); record.isPresent(); record = records.next()) {
            check(record.get());
        }
    }

    RecordCounts counts() {
        return new RecordCounts(right, wrong, expected.digests().size() - knownSeen());
    }

    private void check(RecordReader.Parts record) {
        Optional<String> digest = expected.digest(record.key());
        boolean first = seen.add(record.key());
        if (first && digest.isPresent() && digest.get().equals(Sample.sha256(record.contents()))) {
            right++;
        } else {
            wrong++;
        }
    }

    private long knownSeen() {
        return seen.stream().filter(expected.digests()::containsKey).count();
    }
}
