package dev.sluice.cli.demo.dataset;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/// One bucket of shards as the demo sees it, in the cloud or behind the proxy. Safe for many threads at once.
public interface ShardStore {
    /// Makes the bucket; it may be there already.
    void createBucket() throws IOException;

    void put(String key, Path file) throws IOException;

    /// The shard's bytes as they arrive. A stream that breaks or ends early throws.
    InputStream open(String key) throws IOException;

    List<String> list() throws IOException;
}
