package dev.sluice.common.checksum;

import static jdk.incubator.vector.VectorOperators.ROL;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/// MD5 of several independent streams in lock-step. One stream's MD5 is a chain of 64 dependent steps for each block,
/// which leaves a processor mostly idle; here each lane of a vector register does the step of another stream, so that
/// eight streams (four without AVX2) take little longer than one.
///
/// Design: `words` holds word 0 of all lanes, then word 1 and so on, so that a step loads its words with one
/// instruction; `state` likewise. Each of the four rounds is a method of its own, small enough that the compiler
/// keeps its vectors in registers and allocates none. The only class that needs the incubating vector module. One
/// thread at a time.
final class Md5Lanes {
    /// Eight at most: that many rarely have bytes at the same time, and fewer take longer in a wider register.
    private static final VectorSpecies<Integer> SPECIES =
            IntVector.SPECIES_PREFERRED.length() > 8 ? IntVector.SPECIES_256 : IntVector.SPECIES_PREFERRED;

    static final int LANES = SPECIES.length();

    /// How many blocks a lane can hold; a run ends after so many at the latest.
    static final int STAGED_BLOCKS = 64;

    /// In words; a little more than the blocks, so that the lanes do not compete for the same lines of the cache.
    private static final int STRIDE = (STAGED_BLOCKS + 1) * Md5Block.WORDS;

    private final int[] staged = new int[LANES * STRIDE];
    private final int[] words = new int[Md5Block.WORDS * LANES];
    private final int[] state = new int[4 * LANES];
    private final int[] next = new int[4 * LANES];

    void load(int lane, int[] from) {
        for (int i = 0; i < 4; i++) {
            state[i * LANES + lane] = from[i];
        }
    }

    void save(int lane, int[] into) {
        for (int i = 0; i < 4; i++) {
            into[i] = state[i * LANES + lane];
        }
    }

    void move(int from, int to) {
        System.arraycopy(staged, from * STRIDE, staged, to * STRIDE, STRIDE);
        for (int i = 0; i < state.length; i += LANES) {
            state[i + to] = state[i + from];
        }
    }

    /// Copies the next blocks of a lane from the buffer, whose position moves.
    void stage(int lane, ByteBuffer bytes, int blocks) {
        int length = blocks * Md5Block.BYTES;
        bytes.slice(bytes.position(), length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asIntBuffer()
                .get(staged, lane * STRIDE, blocks * Md5Block.WORDS);
        bytes.position(bytes.position() + length);
    }

    /// Takes in the first staged blocks of each lane below `lanes`; the state of the others becomes meaningless.
    void run(int lanes, int blocks) {
        for (int block = 0; block < blocks; block++) {
            transpose(lanes, block * Md5Block.WORDS);
            System.arraycopy(state, 0, next, 0, next.length);
            round1(next, words);
            round2(next, words);
            round3(next, words);
            round4(next, words);
            for (int i = 0; i < state.length; i += LANES) {
                IntVector.fromArray(SPECIES, state, i)
                        .add(IntVector.fromArray(SPECIES, next, i))
                        .intoArray(state, i);
            }
        }
    }

    private void transpose(int lanes, int from) {
        for (int lane = 0; lane < lanes; lane++) {
            int at = lane * STRIDE + from;
            for (int i = 0; i < Md5Block.WORDS; i++) {
                words[i * LANES + lane] = staged[at + i];
            }
        }
    }

    private static void round1(int[] state, int[] words) {
        var a = IntVector.fromArray(SPECIES, state, 0);
        var b = IntVector.fromArray(SPECIES, state, LANES);
        var c = IntVector.fromArray(SPECIES, state, 2 * LANES);
        var d = IntVector.fromArray(SPECIES, state, 3 * LANES);
        for (int i = 0; i < Md5Block.WORDS; i += 4) {
            a = a.add(IntVector.fromArray(SPECIES, words, (i & 15) * LANES)).add(Md5Block.K[i]);
            a = a.add(d.lanewise(XOR, b.and(c.lanewise(XOR, d))))
                    .lanewise(ROL, 7)
                    .add(b);
            d = d.add(IntVector.fromArray(SPECIES, words, ((i + 1) & 15) * LANES))
                    .add(Md5Block.K[1 + i]);
            d = d.add(c.lanewise(XOR, a.and(b.lanewise(XOR, c))))
                    .lanewise(ROL, 12)
                    .add(a);
            c = c.add(IntVector.fromArray(SPECIES, words, ((i + 2) & 15) * LANES))
                    .add(Md5Block.K[2 + i]);
            c = c.add(b.lanewise(XOR, d.and(a.lanewise(XOR, b))))
                    .lanewise(ROL, 17)
                    .add(d);
            b = b.add(IntVector.fromArray(SPECIES, words, ((i + 3) & 15) * LANES))
                    .add(Md5Block.K[3 + i]);
            b = b.add(a.lanewise(XOR, c.and(d.lanewise(XOR, a))))
                    .lanewise(ROL, 22)
                    .add(c);
        }
        a.intoArray(state, 0);
        b.intoArray(state, LANES);
        c.intoArray(state, 2 * LANES);
        d.intoArray(state, 3 * LANES);
    }

    private static void round2(int[] state, int[] words) {
        var a = IntVector.fromArray(SPECIES, state, 0);
        var b = IntVector.fromArray(SPECIES, state, LANES);
        var c = IntVector.fromArray(SPECIES, state, 2 * LANES);
        var d = IntVector.fromArray(SPECIES, state, 3 * LANES);
        for (int i = 0; i < Md5Block.WORDS; i += 4) {
            a = a.add(IntVector.fromArray(SPECIES, words, ((5 * i + 1) & 15) * LANES))
                    .add(Md5Block.K[16 + i]);
            a = a.add(c.lanewise(XOR, d.and(b.lanewise(XOR, c))))
                    .lanewise(ROL, 5)
                    .add(b);
            d = d.add(IntVector.fromArray(SPECIES, words, ((5 * i + 6) & 15) * LANES))
                    .add(Md5Block.K[17 + i]);
            d = d.add(b.lanewise(XOR, c.and(a.lanewise(XOR, b))))
                    .lanewise(ROL, 9)
                    .add(a);
            c = c.add(IntVector.fromArray(SPECIES, words, ((5 * i + 11) & 15) * LANES))
                    .add(Md5Block.K[18 + i]);
            c = c.add(a.lanewise(XOR, b.and(d.lanewise(XOR, a))))
                    .lanewise(ROL, 14)
                    .add(d);
            b = b.add(IntVector.fromArray(SPECIES, words, ((5 * i + 0) & 15) * LANES))
                    .add(Md5Block.K[19 + i]);
            b = b.add(d.lanewise(XOR, a.and(c.lanewise(XOR, d))))
                    .lanewise(ROL, 20)
                    .add(c);
        }
        a.intoArray(state, 0);
        b.intoArray(state, LANES);
        c.intoArray(state, 2 * LANES);
        d.intoArray(state, 3 * LANES);
    }

    private static void round3(int[] state, int[] words) {
        var a = IntVector.fromArray(SPECIES, state, 0);
        var b = IntVector.fromArray(SPECIES, state, LANES);
        var c = IntVector.fromArray(SPECIES, state, 2 * LANES);
        var d = IntVector.fromArray(SPECIES, state, 3 * LANES);
        for (int i = 0; i < Md5Block.WORDS; i += 4) {
            a = a.add(IntVector.fromArray(SPECIES, words, ((3 * i + 5) & 15) * LANES))
                    .add(Md5Block.K[32 + i]);
            a = a.add(b.lanewise(XOR, c.lanewise(XOR, d))).lanewise(ROL, 4).add(b);
            d = d.add(IntVector.fromArray(SPECIES, words, ((3 * i + 8) & 15) * LANES))
                    .add(Md5Block.K[33 + i]);
            d = d.add(a.lanewise(XOR, b.lanewise(XOR, c))).lanewise(ROL, 11).add(a);
            c = c.add(IntVector.fromArray(SPECIES, words, ((3 * i + 11) & 15) * LANES))
                    .add(Md5Block.K[34 + i]);
            c = c.add(d.lanewise(XOR, a.lanewise(XOR, b))).lanewise(ROL, 16).add(d);
            b = b.add(IntVector.fromArray(SPECIES, words, ((3 * i + 14) & 15) * LANES))
                    .add(Md5Block.K[35 + i]);
            b = b.add(c.lanewise(XOR, d.lanewise(XOR, a))).lanewise(ROL, 23).add(c);
        }
        a.intoArray(state, 0);
        b.intoArray(state, LANES);
        c.intoArray(state, 2 * LANES);
        d.intoArray(state, 3 * LANES);
    }

    private static void round4(int[] state, int[] words) {
        var a = IntVector.fromArray(SPECIES, state, 0);
        var b = IntVector.fromArray(SPECIES, state, LANES);
        var c = IntVector.fromArray(SPECIES, state, 2 * LANES);
        var d = IntVector.fromArray(SPECIES, state, 3 * LANES);
        for (int i = 0; i < Md5Block.WORDS; i += 4) {
            a = a.add(IntVector.fromArray(SPECIES, words, ((7 * i + 0) & 15) * LANES))
                    .add(Md5Block.K[48 + i]);
            a = a.add(c.lanewise(XOR, b.or(d.not()))).lanewise(ROL, 6).add(b);
            d = d.add(IntVector.fromArray(SPECIES, words, ((7 * i + 7) & 15) * LANES))
                    .add(Md5Block.K[49 + i]);
            d = d.add(b.lanewise(XOR, a.or(c.not()))).lanewise(ROL, 10).add(a);
            c = c.add(IntVector.fromArray(SPECIES, words, ((7 * i + 14) & 15) * LANES))
                    .add(Md5Block.K[50 + i]);
            c = c.add(a.lanewise(XOR, d.or(b.not()))).lanewise(ROL, 15).add(d);
            b = b.add(IntVector.fromArray(SPECIES, words, ((7 * i + 5) & 15) * LANES))
                    .add(Md5Block.K[51 + i]);
            b = b.add(d.lanewise(XOR, c.or(a.not()))).lanewise(ROL, 21).add(c);
        }
        a.intoArray(state, 0);
        b.intoArray(state, LANES);
        c.intoArray(state, 2 * LANES);
        d.intoArray(state, 3 * LANES);
    }
}
