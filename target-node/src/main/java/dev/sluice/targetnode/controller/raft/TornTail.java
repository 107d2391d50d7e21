package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a power cut left of the entry that was being written. Ratis fills a file of the log with zeros and syncs it
/// before it writes entries there, so such an entry has a beginning, and zeros from some byte on; Ratis takes it for
/// damage, and does not start. It was never synced, so nobody counts on it: it is cut off.
///
/// An entry whose last bytes are there, and that is damaged before them, is the same when the drive wrote its pages in
/// another order; but it may have been acknowledged, so that its loss is remembered first ([LostTail]). Only the last
/// entry is cut off, and not one that seems to be the last because its length is damaged: then the entry is whole with
/// another length, or there is a whole one after it. Such a server does not start.
///
/// The file: `RaftLog1`; each entry as its length (unsigned LEB128), bytes, CRC32C of both (4 bytes); zeros.
final class TornTail {
    private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);
    static final byte[] HEAD = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    static final int SUM = 4;
    private static final byte TERM = 8; // Protobuf's tag of the field number 1, a number

    private TornTail() {}

    /// The damaged last entry of a file.
    ///
    /// @param from its first byte
    /// @param before so many entries are before it in the file
    /// @param ends its last bytes are there: it may have been acknowledged
    record Torn(int from, int before, boolean ends) {}

    static Optional<Torn> find(Path file) throws IOException {
        return find(Files.readAllBytes(file));
    }

    /// @param file the one that entries were written to last
    static void cut(Path file, Torn torn) throws IOException {
        LOG.warn(
                "{}: the entry at byte {} is {}: cut off",
                file,
                torn.from(),
                torn.ends() ? "damaged" : "not written to its end, and was never acknowledged");
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(torn.from());
            channel.force(true);
        }
    }

    static boolean isWithoutEntries(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        return bytes.length <= HEAD.length || bytes[HEAD.length] == 0;
    }

    static Optional<Torn> find(byte[] bytes) {
        int at = HEAD.length;
        if (bytes.length < at || !Arrays.equals(bytes, 0, at, HEAD, 0, at)) {
            return Optional.empty(); // Ratis knows what to do about it
        }
        for (int before = 0; at < bytes.length && bytes[at] != 0; before++) {
            int end = end(bytes, at);
            if (end > bytes.length) {
                return Optional.empty(); // as a file that ends is
            }
            if (end < 0) {
                return isZero(bytes, at + 5) ? Optional.of(new Torn(at, before, false)) : Optional.empty();
            }
            if (!isWhole(bytes, at, end)) {
                return isZero(bytes, end) && !hidesAWholeOne(bytes, at)
                        ? Optional.of(new Torn(at, before, !isZero(bytes, end - SUM)))
                        : Optional.empty();
            }
            at = end;
        }
        return Optional.empty();
    }

    private static boolean hidesAWholeOne(byte[] bytes, int at) {
        int last = bytes.length - 1;
        while (bytes[last] == 0) {
            last--;
        }
        for (int zeros = 0; zeros < SUM; zeros++) { // that its sum may end with
            if (isWholeUpTo(bytes, at, Math.min(last + 1 + zeros, bytes.length))) {
                return true;
            }
        }
        for (int other = at + 1; other <= last - SUM; other++) {
            int end = end(bytes, other);
            if (end > 0
                    && end <= last + SUM
                    && end <= bytes.length
                    && beginsWithTerm(bytes, other, end)
                    && isWhole(bytes, other, end)) {
                return true;
            }
        }
        return false;
    }

    /// With the length that it must have then.
    private static boolean isWholeUpTo(byte[] bytes, int at, int end) {
        for (int digits = 1; digits <= 3; digits++) {
            int length = end - SUM - digits - at;
            if (length > 0 && digits(length) == digits) {
                var copy = Arrays.copyOfRange(bytes, at, end);
                for (int digit = 0; digit < digits; digit++) {
                    copy[digit] = (byte) (((length >>> (7 * digit)) & 0x7f) | (digit + 1 < digits ? 0x80 : 0));
                }
                if (isWhole(copy, 0, copy.length)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int digits(int length) {
        return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : 3;
    }

    /// The first field of each entry. It spares most sums.
    private static boolean beginsWithTerm(byte[] bytes, int at, int end) {
        int begin = at;
        while (bytes[begin] < 0) {
            begin++;
        }
        return begin + 1 < end - SUM && bytes[begin + 1] == TERM;
    }

    /// The end of the entry, with its sum; negative when its length does not end.
    static int end(byte[] bytes, int at) {
        long length = 0;
        for (int digit = 0; digit < 5 && at + digit < bytes.length; digit++) {
            length |= (long) (bytes[at + digit] & 0x7f) << (7 * digit);
            if (bytes[at + digit] >= 0) {
                return (int) Math.min(at + digit + 1 + length + SUM, Integer.MAX_VALUE);
            }
        }
        return -1;
    }

    static boolean isWhole(byte[] bytes, int at, int end) {
        var sum = new CRC32C();
        sum.update(bytes, at, end - SUM - at);
        return ByteBuffer.wrap(bytes, end - SUM, SUM).getInt() == (int) sum.getValue();
    }

    private static boolean isZero(byte[] bytes, int from) {
        for (int at = from; at < bytes.length; at++) {
            if (bytes[at] != 0) {
                return false;
            }
        }
        return true;
    }
}
