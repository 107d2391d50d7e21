package dev.sluice.cli.demo.dataset;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What the data set must be: for every shard the digests of its records. Kept apart from the cloud, in memory.
public record Manifest(Map<String, ShardManifest> shards) {
    public Manifest {
        shards = Collections.unmodifiableMap(new TreeMap<>(shards));
    }

    /// One shard's size in bytes and the digest of each of its records by key.
    public record ShardManifest(long bytes, Map<String, String> digests) {
        public ShardManifest {
            digests = Map.copyOf(digests);
        }

        public Optional<String> digest(String record) {
            return Optional.ofNullable(digests.get(record));
        }
    }

    public List<String> keys() {
        return List.copyOf(shards.keySet());
    }

    public ShardManifest shard(String key) {
        ShardManifest shard = shards.get(key);
        if (shard == null) {
            throw new IllegalArgumentException("no shard " + key + " in this data set");
        }
        return shard;
    }

    public long samples() {
        return shards.values().stream()
                .mapToLong(shard -> shard.digests().size())
                .sum();
    }

    public long bytes() {
        return shards.values().stream().mapToLong(ShardManifest::bytes).sum();
    }
}
