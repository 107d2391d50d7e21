package dev.sluice.targetnode.storage.drive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.targetnode.storage.files.OnDrive;
import dev.sluice.targetnode.storage.index.DriveIndex;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.index.Table;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A start does again what is in the intents, so their number and their bytes are what a restart costs. Both are
/// counted here at every write of the index, while nobody but the committers makes earlier changes durable: as on a
/// drive whose sync of the file system takes long.
class IntentCapTest {
    private static final BucketRef BUCKET = new BucketRef(3, "bucket");
    private static final int MOST = 16_384;
    private static final long MOST_BYTES = 64L << 20;
    private static final int GROUP = 256;

    private final Counting index = new Counting(new MemoryIndex(new Faults()));
    private final SimulatedFiles files = new SimulatedFiles(new Faults());
    private long sequence;

    @Test
    void intentsOfManyChangesAreFewerThanTheCap() throws Exception {
        OnDrive.run(() -> {
            var contents = new Contents(files, index);
            new DriveStart(contents).rebuild();
            new DriveStart(contents).recover();
            var data = new byte[] {7};
            var sums = sums(data);
            for (int i = 0; i < 5 * MOST / 4 / GROUP; i++) {
                commit(contents, data, sums);
            }
            assertThat(index.most).isBetween(MOST / 2, MOST);
            assertThat(contents.totals().objects()).isEqualTo(5L * MOST / 4);
            requireRestartReplaysWhatIsLogged(5L * MOST / 4);
        });
    }

    @Test
    void intentsOfSmallObjectsTakeNoMoreBytesThanTheCap() throws Exception {
        OnDrive.run(() -> {
            var contents = new Contents(files, index);
            new DriveStart(contents).rebuild();
            new DriveStart(contents).recover();
            var data = new byte[30 << 10];
            var sums = sums(data);
            int groups = (int) (2 * MOST_BYTES / data.length / GROUP);
            for (int i = 0; i < groups; i++) {
                commit(contents, data, sums);
            }
            assertThat(index.mostBytes).isBetween(MOST_BYTES / 2, MOST_BYTES);
            requireRestartReplaysWhatIsLogged((long) groups * GROUP);
        });
    }

    private void requireRestartReplaysWhatIsLogged(long objects) throws IOException {
        assertThat(index.sizes).isNotEmpty();
        var again = new Contents(files, index);
        new DriveStart(again).recover();
        assertThat(index.sizes).isEmpty();
        assertThat(again.totals().objects()).isEqualTo(objects);
    }

    private void commit(Contents contents, byte[] data, BlockSums sums) throws IOException {
        var group = new ArrayList<Prepared>(GROUP);
        for (int i = 0; i < GROUP; i++) {
            long version = ++sequence;
            var record = new ObjectRecord(
                    BUCKET.id(),
                    "key" + version,
                    new ObjectVersion(1, version),
                    data.length,
                    1,
                    2,
                    "etag",
                    Map.of(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    Optional.empty(),
                    Optional.empty(),
                    sums,
                    Optional.empty(),
                    BlockSums.of());
            group.add(Prepared.smallPut(BUCKET, Layout.work(record.version()), record, data, new IndexBatch())
                    .orElseThrow());
        }
        Insides.commit(contents, group).forEach(failure -> assertThat(failure).isEmpty());
    }

    private static BlockSums sums(byte[] data) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(data));
        return summer.finish(data.length);
    }

    /// Counts the intents that are in it.
    private static final class Counting extends ForwardingIndex {
        private final Map<ByteBuffer, Integer> sizes = new HashMap<>();
        private long bytes;
        private int most;
        private long mostBytes;

        Counting(DriveIndex index) {
            super(index);
        }

        @Override
        public void write(IndexBatch batch, boolean sync) throws IOException {
            super.write(batch, sync);
            for (var change : batch.changes()) {
                if (change.table() == Table.INTENTS) {
                    switch (change.kind()) {
                        case PUT -> add(ByteBuffer.wrap(change.key()), change.operand().length);
                        case DELETE -> bytes -= Objects.requireNonNull(sizes.remove(ByteBuffer.wrap(change.key())));
                        case DELETE_RANGE -> assertThat(sizes).isEmpty();
                    }
                }
            }
            most = Math.max(most, sizes.size());
            mostBytes = Math.max(mostBytes, bytes);
        }

        private void add(ByteBuffer key, int size) {
            sizes.put(key, size);
            bytes += size;
        }
    }
}
