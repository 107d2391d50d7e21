package dev.sluice.cli.demo.reading;

import dev.sluice.cli.demo.dataset.Bytes;
import dev.sluice.cli.demo.dataset.TarReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Groups the files of a shard into records as WebDataset does: neighbours whose names agree up to the first dot of the
/// last path segment. One thread at a time.
final class RecordReader {
    private final TarReader tar;
    private Optional<TarReader.Entry> ahead;

    RecordReader(TarReader tar) throws IOException {
        this.tar = tar;
        this.ahead = tar.next();
    }

    /// All files of one record, in the order of the shard.
    record Parts(String key, List<Bytes> contents) {}

    Optional<Parts> next() throws IOException {
        if (ahead.isEmpty()) {
            return Optional.empty();
        }
        String key = key(ahead.get().name());
        var contents = new ArrayList<Bytes>(3);
        while (ahead.isPresent() && key(ahead.get().name()).equals(key)) {
            contents.add(ahead.get().content());
            ahead = tar.next();
        }
        return Optional.of(new Parts(key, contents));
    }

    private static String key(String name) {
        int dot = name.indexOf('.', name.lastIndexOf('/') + 1);
        return dot < 0 ? name : name.substring(0, dot);
    }
}
