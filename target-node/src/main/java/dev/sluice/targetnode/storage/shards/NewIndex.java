package dev.sluice.targetnode.storage.shards;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/// An index that is being made. Takes 24 bytes a member and its name, 12 a sample; at most [#MOST_BYTES] of each.
final class NewIndex {
    static final int LARGEST = 32 << 20;
    static final int MOST_SAMPLES = LARGEST / ShardSamples.ENTRY;

    /// Two are made at once for each drive, and each takes four times as much for a moment.
    private static final int MOST_BYTES = (int) Math.clamp(Runtime.getRuntime().maxMemory() / 64, 2L << 20, LARGEST);

    private static final long LONGEST_SAMPLE = 0xffff_ffffL;

    private ByteBuffer samples = ByteBuffer.allocate(4 << 10);
    private ByteBuffer members = ByteBuffer.allocate(8 << 10);
    private ByteBuffer names = ByteBuffer.allocate(8 << 10);
    private long sampleBegin;
    private long end;

    /// A sample begins.
    void sample(long offset) {
        sampleBegin = offset;
    }

    /// It has ended.
    ///
    /// @throws StoreException.SampleTooLarge when it has 4 GiB or more
    void sampleEnded(long offset, int crc32) {
        if (offset - sampleBegin > LONGEST_SAMPLE) {
            throw new StoreException.SampleTooLarge("The sample at byte %d of the shard has %d bytes; %d are the most"
                    .formatted(sampleBegin, offset - sampleBegin, LONGEST_SAMPLE));
        }
        samples = withRoom(samples, ShardSamples.ENTRY);
        samples.putLong(sampleBegin).putInt(crc32);
        end = offset;
    }

    /// @param stored how many bytes the tar has of it
    void member(byte[] name, long offset, long stored, boolean sparse) {
        members = withRoom(members, ShardIndex.MEMBER);
        names = withRoom(names, name.length);
        names.put(name);
        members.putLong(offset)
                .putLong(sparse ? stored | ShardIndex.SPARSE : stored)
                .putInt(names.position())
                .putInt(0);
    }

    private static ByteBuffer withRoom(ByteBuffer buffer, int more) {
        if (buffer.remaining() >= more) {
            return buffer;
        }
        int needed = buffer.position() + more;
        if (needed > MOST_BYTES) {
            throw new StoreException.SampleTooLarge(
                    "The index of the shard would be larger than this target has memory for: it has too many members");
        }
        return ByteBuffer.allocate(Math.clamp(2L * buffer.capacity(), needed, MOST_BYTES))
                .put(buffer.flip());
    }

    /// What stays in memory. Once, after the last sample.
    ShardSamples samples() {
        var exact = ByteBuffer.allocate(samples.position());
        return new ShardSamples(exact.put(samples.duplicate().flip()).flip(), end);
    }

    /// The parts of its file, one after the other. Once, after the last member.
    ///
    /// @param size of the shard
    List<ByteBuffer> encode(ObjectKey owner, long size) {
        var key = owner.key().getBytes(StandardCharsets.UTF_8);
        int sampled = samples.position();
        int count = members.position() / ShardIndex.MEMBER;
        sortByName(count);
        var first = ByteBuffer.allocate(ShardIndex.HEAD + key.length + sampled + Integer.BYTES);
        first.putLong(ShardIndex.MAGIC)
                .putLong(owner.bucketId())
                .putLong(size)
                .putLong(end)
                .putInt(sampled / ShardSamples.ENTRY)
                .putInt(count)
                .putInt(names.position())
                .putInt(key.length)
                .put(key)
                .put(samples.duplicate().flip());
        first.putInt(ShardIndex.crc(first, first.position()));
        var crc = new CRC32C();
        crc.update(members.duplicate().flip());
        crc.update(names.duplicate().flip());
        var last = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue());
        return List.of(
                first.flip(), members.duplicate().flip(), names.duplicate().flip(), last.flip());
    }

    /// Of members of one name, the first one first.
    private void sortByName(int count) {
        var order = isSorted(count)
                ? IntStream.range(0, count)
                : IntStream.range(0, count).boxed().sorted(this::compare).mapToInt(Integer::intValue);
        int place = ShardIndex.MEMBER - Integer.BYTES;
        for (var each = order.iterator(); each.hasNext(); place += ShardIndex.MEMBER) {
            members.putInt(place, each.nextInt());
        }
    }

    private boolean isSorted(int count) {
        for (int i = 1; i < count; i++) {
            if (compare(i - 1, i) > 0) {
                return false;
            }
        }
        return true;
    }

    private int compare(int a, int b) {
        var bytes = names.array();
        return Arrays.compareUnsigned(bytes, nameBegin(a), nameEnd(a), bytes, nameBegin(b), nameEnd(b));
    }

    private int nameBegin(int member) {
        return member == 0 ? 0 : nameEnd(member - 1);
    }

    private int nameEnd(int member) {
        return members.getInt((member + 1) * ShardIndex.MEMBER - 2 * Integer.BYTES);
    }
}
