package dev.sluice.cli.demo.dataset;

import dev.sluice.cli.demo.dataset.Manifest.ShardManifest;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/// A data set of rendered pictures, cut into tar shards as WebDataset wants them. The seed decides every byte, so a
/// shard can be made anywhere, alone and in any order.
public record ImageShards(long seed, int shards, int samplesPerShard) {
    public ImageShards {
        if (shards < 1 || samplesPerShard < 1) {
            throw new IllegalArgumentException("a data set needs at least one shard with one sample");
        }
    }

    public String key(int shard) {
        return "train-%06d.tar".formatted(shard);
    }

    /// Writes one shard to a file, and says what is in it.
    public ShardManifest write(int shard, Path file) throws IOException {
        Map<String, String> digests = HashMap.newHashMap(samplesPerShard);
        try (var tar = new TarWriter(new BufferedOutputStream(Files.newOutputStream(file), 64 << 10))) {
            for (int i = 0; i < samplesPerShard; i++) {
                Sample sample = Sample.render(seed, Math.addExact(Math.multiplyExact(shard, samplesPerShard), i));
                sample.writeTo(tar);
                digests.put(sample.key(), sample.digest());
            }
        }
        return new ShardManifest(Files.size(file), digests);
    }

    /// One picture of every class, to show.
    public Map<Motif, Bytes> gallery() throws IOException {
        Map<Motif, Bytes> pictures = new EnumMap<>(Motif.class);
        for (Motif motif : Motif.values()) {
            pictures.put(motif, Picture.of(motif, seed + motif.label()).jpeg());
        }
        return pictures;
    }
}
