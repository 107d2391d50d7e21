package dev.sluice.common.checksum;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// The step of MD5 (RFC 1321) for one block, written for clarity: for the ends of streams whose bulk goes
/// through [Md5Lanes].
final class Md5Block {
    static final int BYTES = 64;
    static final int WORDS = BYTES / Integer.BYTES;

    /// The 64 additive constants: the sine of each step's number.
    static final int[] K = new int[64];

    private static final int[][] ROTATIONS = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

    static {
        for (int i = 0; i < K.length; i++) {
            K[i] = (int) (long) (Math.abs(StrictMath.sin(i + 1)) * (1L << 32));
        }
    }

    private Md5Block() {}

    static int[] initialState() {
        return new int[] {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    }

    static void compress(int[] state, byte[] block) {
        var words = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
        int a = state[0];
        int b = state[1];
        int c = state[2];
        int d = state[3];
        for (int i = 0; i < K.length; i++) {
            int round = i / WORDS;
            int mixed = switch (round) {
                case 0 -> d ^ (b & (c ^ d));
                case 1 -> c ^ (d & (b ^ c));
                case 2 -> b ^ c ^ d;
                default -> c ^ (b | ~d);
            };
            int word = switch (round) {
                case 0 -> i;
                case 1 -> 5 * i + 1;
                case 2 -> 3 * i + 5;
                default -> 7 * i;
            };
            int sum = a + mixed + K[i] + words.get(word % WORDS);
            a = d;
            d = c;
            c = b;
            b += Integer.rotateLeft(sum, ROTATIONS[round][i % 4]);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }

    /// The MD5 of a stream: its state after the whole blocks, and the bytes behind those.
    static byte[] padded(int[] state, byte[] rest, int restLength, long length) {
        var padded = ByteBuffer.allocate(2 * BYTES).order(ByteOrder.LITTLE_ENDIAN);
        padded.put(rest, 0, restLength).put((byte) 0x80);
        int end = padded.position() + Long.BYTES <= BYTES ? BYTES : 2 * BYTES;
        padded.putLong(end - Long.BYTES, 8 * length);
        for (int at = 0; at < end; at += BYTES) {
            compress(state, Arrays.copyOfRange(padded.array(), at, at + BYTES));
        }
        var value = ByteBuffer.allocate(4 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        value.asIntBuffer().put(state);
        return value.array();
    }
}
