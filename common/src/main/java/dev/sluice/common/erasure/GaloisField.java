package dev.sluice.common.erasure;

/// GF(2^8) with the polynomial 0x11d, whose generator is 2. Addition is XOR.
final class GaloisField {
    private static final int POLYNOMIAL = 0x11d;
    private static final int ORDER = 255;
    private static final long TOP_BITS = 0x8080808080808080L;
    private static final long POLYNOMIALS = 0x1d1d1d1d1d1d1d1dL;
    private static final int[] POWERS = new int[2 * ORDER];
    private static final int[] LOGARITHMS = new int[ORDER + 1];

    static {
        int value = 1;
        for (int i = 0; i < ORDER; i++) {
            POWERS[i] = value;
            POWERS[i + ORDER] = value;
            LOGARITHMS[value] = i;
            value <<= 1;
            if (value > ORDER) {
                value ^= POLYNOMIAL;
            }
        }
    }

    private GaloisField() {}

    /// @return 2 to the power of this, which is not negative
    static int power(int exponent) {
        return POWERS[exponent % ORDER];
    }

    static int multiply(int a, int b) {
        return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
    }

    /// @throws ArithmeticException of 0, which has none
    static int inverse(int a) {
        if (a == 0) {
            throw new ArithmeticException("0 has no inverse");
        }
        return POWERS[ORDER - LOGARITHMS[a]];
    }

    // ---- eight bytes at a time. The loops begin at 0 and are as plain as the compiler's vectors need them.

    /// Each byte times 2.
    private static long doubled(long bytes) {
        long top = bytes & TOP_BITS;
        long all = (top << 1) - (top >>> 7); // 0xff where the top bit was set
        return ((bytes ^ top) << 1) ^ (all & POLYNOMIALS);
    }

    /// Values times 2^exponent.
    static void multiply(long[] values, int from, int to, int exponent) {
        for (int k = 0; k < exponent; k++) {
            for (int i = from; i < to; i++) {
                values[i] = doubled(values[i]);
            }
        }
    }

    /// Values times 2^exponent, plus others.
    static void multiplyAndAdd(long[] values, int exponent, long[] others, int count) {
        switch (exponent) {
            case 0 -> add(values, others, count);
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    values[i] = doubled(values[i]) ^ others[i];
                }
            }
            default -> {
                multiply(values, 0, count, exponent - 1);
                multiplyAndAdd(values, 1, others, count);
            }
        }
    }

    static void add(long[] values, long[] others, int count) {
        for (int i = 0; i < count; i++) {
            values[i] ^= others[i];
        }
    }
}
