package dev.sluice.common.samples;

import java.io.IOException;
import java.nio.ByteBuffer;

/// What comes before the bytes of each sample in a batch's answer: 32 bytes, big-endian.
///
/// @param status that of a GET of the sample: 200, or why there is none; then the bytes say it, as text
/// @param sequence which of the batch's samples, from 0. At the end: how many there were
/// @param shard the shard's place in the batch's list
/// @param sample its number in the shard
/// @param length how many bytes follow, below 4 GiB
/// @param crc32 of these bytes
public record SampleFrame(Kind kind, int status, long sequence, int shard, int sample, long length, int crc32) {
    public static final int LENGTH = 32;

    /// The status between nodes when the one that was asked is not, or not any more, the shard's primary.
    public static final int ELSEWHERE = 421;

    private static final long LONGEST = 0xffff_ffffL;

    /// The first number of a frame.
    public enum Kind {
        SAMPLE(1),
        /// The next sample is not ready: its shard is fetched or read. No bytes follow.
        WAITING(2),
        /// There is no more. No bytes follow.
        END(3);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static Kind of(int number) throws IOException {
            for (var kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw new IOException("no frame begins with " + number);
        }
    }

    public SampleFrame {
        if (length < 0 || length > LONGEST) {
            throw new IllegalArgumentException("a frame of " + length + " bytes");
        }
    }

    public static SampleFrame waiting(long sequence, int shard, int sample) {
        return new SampleFrame(Kind.WAITING, 200, sequence, shard, sample, 0, 0);
    }

    /// This target does not serve the shard, or not any more.
    public static SampleFrame elsewhere(long sequence, int shard, int sample) {
        return new SampleFrame(Kind.SAMPLE, ELSEWHERE, sequence, shard, sample, 0, 0);
    }

    public static SampleFrame end(long count) {
        return new SampleFrame(Kind.END, 200, count, 0, 0, 0, 0);
    }

    public boolean isGood() {
        return status == 200;
    }

    /// The same of another batch.
    SampleFrame at(long itsSequence, int itsShard) {
        return new SampleFrame(kind, status, itsSequence, itsShard, sample, length, crc32);
    }

    public ByteBuffer encode() {
        return ByteBuffer.allocate(LENGTH)
                .putInt(kind.number)
                .putInt(status)
                .putLong(sequence)
                .putInt(shard)
                .putInt(sample)
                .putInt((int) length)
                .putInt(crc32)
                .flip();
    }

    /// @param bytes with all of the frame, which are consumed
    public static SampleFrame decode(ByteBuffer bytes) throws IOException {
        return new SampleFrame(
                Kind.of(bytes.getInt()),
                bytes.getInt(),
                bytes.getLong(),
                bytes.getInt(),
                bytes.getInt(),
                Integer.toUnsignedLong(bytes.getInt()),
                bytes.getInt());
    }
}
