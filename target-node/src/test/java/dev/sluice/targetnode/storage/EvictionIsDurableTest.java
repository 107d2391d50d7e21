package dev.sluice.targetnode.storage;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.change.CommitTerms;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.change.WriteCheck;
import dev.sluice.targetnode.storage.drive.ForwardingIndex;
import dev.sluice.targetnode.storage.health.HealthSettings;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An evicted key is written again: the cloud is told without another look at the drive. So a power cut after that
/// must not bring the evicted copy back: each deletion's intent is synced, though the copies were not, and many share
/// a sync.
class EvictionIsDurableTest {
    private static final BucketRef CACHED = new BucketRef(3, "cached");
    private static final int COPIES = 300;

    @TempDir
    private Path folder;

    private final AtomicInteger synced = new AtomicInteger();
    private final AtomicInteger syncs = new AtomicInteger();

    private final class Recorded extends ForwardingIndex {
        Recorded(DriveIndex real) {
            super(real);
        }

        @Override
        public void write(IndexBatch batch, boolean sync) throws IOException {
            super.write(batch, sync);
            long intents = batch.changes().stream()
                    .filter(change -> change.table() == Table.INTENTS && change.kind() == IndexBatch.Kind.PUT)
                    .count();
            if (sync && intents > 0) {
                synced.addAndGet((int) intents);
                syncs.incrementAndGet();
            }
        }
    }

    @Test
    void deletionsAreSyncedInGroups() throws Exception {
        var paths = StoreFixture.drives(folder, 1);
        var small = new SmallDrive(paths.getFirst(), 1L << 40);
        var seams = new Seams((_, files) -> small.seam().apply(files), Recorded::new);
        var config = StoreFixture.settings(paths).reserve(0).build();
        try (var store = ObjectStore.open(config, seams, HealthSettings.DEFAULTS)) {
            for (int i = 0; i < COPIES; i++) {
                fill(store, "k" + i);
            }
            assertThat(synced).hasValue(0);
            store.evict(() -> List.of(CACHED));
            small.resize(4096);
            eventually(() -> store.evictions().getFirst().objects() == COPIES);
            assertThat(synced).hasValue(COPIES);
            assertThat(syncs).hasValueLessThan(COPIES / 10);
        }
    }

    private static void fill(ObjectStore store, String key) {
        try (var upload = store.begin(CACHED, key, 100, Durability.OS)) {
            upload.write(ByteBuffer.allocate(100));
            upload.commit(new CommitTerms(
                    "etag",
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.of("v1"),
                    Optional.empty(),
                    WriteCheck.NONE));
        }
    }
}
