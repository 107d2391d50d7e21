package dev.sluice.targetnode.controller.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a power cut left of the entry that was being written. Ratis fills a file of the log with zeros and syncs it
/// before it writes entries there, so such an entry has a beginning, and zeros from some byte on; Ratis takes it for
/// damage, and does not start. It was never synced, so nobody counts on it: it is cut off.
///
/// An entry whose last bytes are there is not cut off, whatever is wrong with it: it may have been acknowledged. Nor
/// is one that only seems to go on because its length is damaged: then the entry is whole with another length, or
/// there is a whole one after it. Such a server does not start; nor does one whose drive wrote the pages of an entry
/// in another order.
///
/// The file: `RaftLog1`; each entry as its length (unsigned LEB128), bytes, CRC32C of both (4 bytes); zeros.
final class TornTail {
    private static final Logger LOG = LoggerFactory.getLogger(TornTail.class);
    private static final byte[] HEAD = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int SUM = 4;
    private static final byte TERM = 8; // Protobuf's tag of the field number 1, a number

    private TornTail() {}

    /// @param file the one that entries were written to last
    static void cut(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        var begin = begin(bytes);
        if (begin.isEmpty()) {
            return;
        }
        int from = begin.getAsInt();
        LOG.warn(
                "{}: the entry at byte {} was not written to its end, and was never acknowledged: cut off", file, from);
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.position(from);
            for (var zeros = ByteBuffer.allocate(bytes.length - from); zeros.hasRemaining(); ) {
                channel.write(zeros);
            }
            channel.force(true);
        }
    }

    static boolean isWithoutEntries(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        return bytes.length <= HEAD.length || bytes[HEAD.length] == 0;
    }

    /// Where a torn entry begins.
    static OptionalInt begin(byte[] bytes) {
        int at = HEAD.length;
        if (bytes.length < at || !Arrays.equals(bytes, 0, at, HEAD, 0, at)) {
            return OptionalInt.empty(); // Ratis knows what to do about it
        }
        while (at < bytes.length && bytes[at] != 0) {
            int end = end(bytes, at);
            if (end > bytes.length) {
                return OptionalInt.empty(); // as a file that ends is
            }
            if (end < 0) {
                return isZero(bytes, at + 5) ? OptionalInt.of(at) : OptionalInt.empty();
            }
            if (!isWhole(bytes, at, end)) {
                return isZero(bytes, end - SUM) && !hidesAWholeOne(bytes, at)
                        ? OptionalInt.of(at)
                        : OptionalInt.empty();
            }
            at = end;
        }
        return OptionalInt.empty();
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
    private static int end(byte[] bytes, int at) {
        long length = 0;
        for (int digit = 0; digit < 5 && at + digit < bytes.length; digit++) {
            length |= (long) (bytes[at + digit] & 0x7f) << (7 * digit);
            if (bytes[at + digit] >= 0) {
                return (int) Math.min(at + digit + 1 + length + SUM, Integer.MAX_VALUE);
            }
        }
        return -1;
    }

    private static boolean isWhole(byte[] bytes, int at, int end) {
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
