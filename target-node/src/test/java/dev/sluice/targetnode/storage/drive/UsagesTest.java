package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.files.OnDrive;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Figures that were not stored, or by a build that did not know all of them, are counted.
class UsagesTest {
    private final MemoryIndex index = new MemoryIndex(new Faults());

    @Test
    void aDriveFromBeforeBucketsWereCountedIsCountedOnce() throws Exception {
        OnDrive.run(() -> {
            index.write(new IndexBatch().put(Table.META, new byte[] {'t'}, new Totals(3, 60).encode()), true);
            put(1, "a", 10);
            put(1, "b", 20);
            put(7, "c", 30);
            assertThat(Usages.areStored(index)).isFalse();
            requireCounted(Usages.load(index));
            assertThat(Usages.areStored(index)).isTrue();
            requireCounted(Usages.load(index));
        });
    }

    @Test
    void whatAnOlderBuildChangedMeanwhileIsCountedAnew() throws Exception {
        OnDrive.run(() -> {
            put(1, "a", 10);
            put(9, "gone", 30);
            Usages.load(index);
            put(1, "b", 20);
            put(7, "c", 30);
            index.write(
                    new IndexBatch()
                            .delete(Table.OBJECTS, IndexKeys.object(9, "gone"))
                            .put(Table.META, new byte[] {'t'}, new Totals(3, 60).encode()),
                    true);
            requireCounted(Usages.load(index));
            assertThat(Usages.load(index).of(9)).isEqualTo(Usage.NONE);
        });
    }

    @Test
    void whatAnOlderBuildMovedFromABucketToAnotherIsCountedAnew() throws Exception {
        OnDrive.run(() -> {
            put(1, "a", 10);
            put(1, "b", 20);
            put(9, "c", 30);
            index.write(new IndexBatch().put(Table.META, new byte[] {'s'}, IndexKeys.number(100)), true);
            Usages.load(index);
            new DriveMarks(index).reserveSequences(200);
            assertThat(Usages.areStored(index)).isTrue();
            index.write(
                    new IndexBatch()
                            .put(Table.META, new byte[] {'s'}, IndexKeys.number(300))
                            .delete(Table.OBJECTS, IndexKeys.object(9, "c")),
                    true);
            put(7, "c", 30);
            requireCounted(Usages.load(index));
            assertThat(Usages.areStored(index)).isTrue();
        });
    }

    @Test
    void aPartThatComesTwiceInOneGroupCountsOnce() throws Exception {
        OnDrive.run(() -> {
            var parts = new UploadedParts();
            var id = ByteBuffer.allocate(32).array();
            var upload = ByteBuffer.allocate(8 + 1 + 1 + 32).putLong(5).array();
            var part = ByteBuffer.allocate(36).put(id).putInt(1).array();
            var group = parts.new Group(index);
            group.add(new IndexBatch().put(Table.UPLOADS, upload, new byte[0]));
            group.add(new IndexBatch().put(Table.PARTS, part, new Totals(1, 100).encode()));
            group.add(new IndexBatch().put(Table.PARTS, part, new Totals(1, 70).encode()));
            assertThat(parts.of(5)).isEqualTo(70);
            parts.new Group(index).add(new IndexBatch().delete(Table.UPLOADS, upload));
            assertThat(parts.of(5)).isZero();
        });
    }

    @Test
    void nobodySeesAnOverwriteAsADeletion() {
        var usages = new Usages();
        usages.replaced(1, Optional.empty(), entry(10));
        var writer = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 1_000_000; i++) {
                usages.replaced(1, Optional.of(entry(10)), entry(10));
            }
        });
        while (!writer.isDone()) {
            assertThat(usages.of(1).bytes()).isEqualTo(10);
            assertThat(usages.all().bytes()).isEqualTo(10);
        }
        writer.join();
    }

    private static void requireCounted(Usages usages) {
        assertThat(usages.of(1)).isEqualTo(new Usage(2, 30, 0));
        assertThat(usages.of(7)).isEqualTo(new Usage(1, 30, 0));
        assertThat(usages.all()).isEqualTo(new Totals(3, 60));
    }

    private void put(long bucket, String key, long size) throws IOException {
        index.write(
                new IndexBatch()
                        .put(
                                Table.OBJECTS,
                                IndexKeys.object(bucket, key),
                                entry(size).encode()),
                true);
    }

    private static ObjectEntry entry(long size) {
        return new ObjectEntry(new ObjectVersion(1, 1), size, 0, "", false, false, false);
    }
}
