package dev.sluice.cli.demo.dataset;

import dev.sluice.cli.demo.dataset.Manifest.ShardManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/// Makes the data set and puts it into a store, as many shards at once as there are cores; a shard is on local disk
/// only while it is under way.
public final class DataSetUpload {
    private final ImageShards images;
    private final ShardStore store;

    public DataSetUpload(ImageShards images, ShardStore store) {
        this.images = images;
        this.store = store;
    }

    public Manifest run(Path workFolder) throws IOException, InterruptedException {
        Map<String, ShardManifest> shards = new HashMap<>();
        try (var cores = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            var tasks = IntStream.range(0, images.shards())
                    .mapToObj(shard -> (Callable<ShardManifest>) () -> upload(shard, workFolder))
                    .toList();
            var done = cores.invokeAll(tasks);
            for (int shard = 0; shard < done.size(); shard++) {
                shards.put(images.key(shard), result(done.get(shard)));
            }
        }
        return new Manifest(shards);
    }

    private ShardManifest upload(int shard, Path workFolder) throws IOException {
        Path file = workFolder.resolve(images.key(shard));
        try {
            ShardManifest manifest = images.write(shard, file);
            store.put(images.key(shard), file);
            return manifest;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static ShardManifest result(Future<ShardManifest> done) throws IOException, InterruptedException {
        try {
            return done.get();
        } catch (ExecutionException e) {
            throw new IOException("the data set could not be made: " + e.getMessage(), e);
        }
    }
}
