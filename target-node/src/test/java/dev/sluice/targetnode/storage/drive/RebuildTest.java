package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.files.OnDrive;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.ObjectEntry;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// An index made from folders of many names: what is in memory at once is what one write of the index has.
class RebuildTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final int NAMES = 2500;
    private static final int MOST = 1000;

    private final SimulatedFiles files = new SimulatedFiles(new Faults());
    private final Counting index = new Counting(new MemoryIndex(new Faults()));

    @Test
    void filesWithoutRecordsAreEnteredInGroups() throws Exception {
        OnDrive.run(() -> {
            files.createFolders("objects/bucket/many");
            files.createFolders(Layout.escapedFolder(BUCKET.id()));
            files.create(Layout.naming(BUCKET)).close();
            for (int i = 0; i < NAMES; i++) {
                files.create("objects/bucket/many/" + i).close();
                files.create(Layout.escaped(BUCKET.id(), "k" + i + "/")).close();
            }
            var contents = rebuilt();
            for (int i = 0; i < NAMES; i++) {
                assertThat(contents.entry(BUCKET.id(), "many/" + i)).contains(ObjectEntry.damaged(false));
                assertThat(contents.entry(BUCKET.id(), "k" + i + "/")).contains(ObjectEntry.damaged(true));
            }
            assertThat(contents.totals().objects()).isEqualTo(2 * NAMES);
            requireNothingElseInMeta();
        });
    }

    @Test
    void workFilesAreAdoptedInGroups() throws Exception {
        OnDrive.run(() -> {
            files.createFolders("objects/bucket");
            files.create(Layout.naming(BUCKET)).close();
            for (int i = 0; i < NAMES; i++) {
                workFile("many/" + i, i + 1);
            }
            var contents = rebuilt();
            assertThat(index.intents).isEqualTo(NAMES);
            for (int i = 0; i < NAMES; i++) {
                assertThat(contents.entry(BUCKET.id(), "many/" + i)
                                .orElseThrow()
                                .damaged())
                        .isFalse();
            }
            assertThat(contents.totals().objects()).isEqualTo(NAMES);
        });
    }

    /// The intent of a small object makes it durable. The intent is lost with the index, and the file was never synced.
    @Test
    void objectsOfARebuiltIndexSurviveAPowerCut() throws Exception {
        OnDrive.run(() -> {
            for (int seed = 0; seed < 50; seed++) {
                var drive = new SimulatedFiles(new Faults());
                put(started(drive, new MemoryIndex(new Faults())), "k", new byte[] {1, 2, 3});
                var rebuilt = new MemoryIndex(new Faults());
                started(drive, rebuilt);
                drive.crash(new Random(seed));
                rebuilt.crash(new Random(seed));
                assertThat(content(started(drive, rebuilt), "k"))
                        .as("seed %d", seed)
                        .contains(new byte[] {1, 2, 3});
            }
        });
    }

    private static Contents started(SimulatedFiles files, MemoryIndex index) throws IOException {
        var contents = new Contents(files, index);
        if (!new DriveStart(contents).isIndexed()) {
            new DriveStart(contents).rebuild();
        }
        new DriveStart(contents).recover();
        return contents;
    }

    private static void put(Contents contents, String key, byte[] content) throws IOException {
        var version = new ObjectVersion(1, 1);
        var change = Prepared.smallPut(
                        BUCKET, Layout.work(version), record(key, version, content), content, new IndexBatch())
                .orElseThrow();
        var group = List.<DriveWrite>of(new DriveWrite.Whole(change));
        contents.decide(group);
        assertThat(contents.fulfil(group)).containsExactly(Optional.empty());
    }

    /// Empty when the object is damaged or not there.
    private static Optional<byte[]> content(Contents contents, String key) throws IOException {
        if (new DriveStore(contents).find(BUCKET, key) instanceof Found.Present(var record, var file)) {
            try (file) {
                var bytes = ByteBuffer.allocate(Math.toIntExact(record.size()));
                file.read(0, bytes);
                var summer = new BlockSummer();
                summer.update(0, bytes.flip());
                return summer.finish(record.size()).equals(record.blocks())
                        ? Optional.of(bytes.array())
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    private Contents rebuilt() throws IOException {
        files.syncAll();
        var contents = new Contents(files, index);
        new DriveStart(contents).rebuild();
        assertThat(index.most).as("changes in one batch").isBetween(MOST / 2, MOST + 2);
        new DriveStart(contents).recover();
        return contents;
    }

    private void requireNothingElseInMeta() throws IOException {
        index.scan(Table.META, new byte[0], (key, _) -> {
            assertThat((char) key[0]).isIn('b', 'i', 's', 't');
            return true;
        });
    }

    private void workFile(String key, long sequence) throws IOException {
        var version = new ObjectVersion(1, sequence);
        var record = record(key, version, new byte[0]);
        try (var file = files.create(Layout.work(version))) {
            var _ = new DriveStore(new Contents(files, index))
                    .preparePut(BUCKET, Layout.work(version), file, record, new IndexBatch(), false);
        }
    }

    private static ObjectRecord record(String key, ObjectVersion version, byte[] content) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        return new ObjectRecord(
                BUCKET.id(),
                key,
                version,
                content.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                summer.finish(content.length),
                Optional.empty(),
                BlockSums.of());
    }

    /// Counts what is in each write.
    private static final class Counting extends ForwardingIndex {
        private int most;
        private int intents;

        Counting(DriveIndex real) {
            super(real);
        }

        @Override
        public void write(IndexBatch batch, boolean sync) throws IOException {
            most = Math.max(most, batch.changes().size());
            intents += (int) batch.changes().stream()
                    .filter(each -> each.table() == Table.INTENTS && each.kind() == IndexBatch.Kind.PUT)
                    .count();
            super.write(batch, sync);
        }
    }
}
