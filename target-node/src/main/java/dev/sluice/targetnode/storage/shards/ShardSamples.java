package dev.sluice.targetnode.storage.shards;

import java.nio.ByteBuffer;

/// Where the samples of one version of a shard are: the part of an index that stays in memory. Each begins where the
/// one before it ends; the last one ends where the shard's members do.
public final class ShardSamples {
    /// Of a sample: its offset (8 bytes), its CRC32 (4).
    static final int ENTRY = 12;

    private final ByteBuffer entries;
    private final long end;

    /// @param entries from its position to its limit; not modified any more
    /// @param end where the last sample ends
    ShardSamples(ByteBuffer entries, long end) {
        this.entries = entries.slice();
        this.end = end;
    }

    public int count() {
        return entries.limit() / ENTRY;
    }

    /// @param sample 0 to [#count]; the end of the last sample for that one
    public long offset(int sample) {
        return sample == count() ? end : entries.getLong(sample * ENTRY);
    }

    public long length(int sample) {
        return offset(sample + 1) - offset(sample);
    }

    /// The CRC32 of a sample's bytes.
    public int crc32(int sample) {
        return entries.getInt(sample * ENTRY + Long.BYTES);
    }

    /// What it takes in memory, about.
    public int bytes() {
        return entries.limit() + 64;
    }
}
