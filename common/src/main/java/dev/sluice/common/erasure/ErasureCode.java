package dev.sluice.common.erasure;

import java.util.regex.Pattern;

/// The numbers of slices into which an object is divided. Any [#data] of them make the object and every other slice.
///
/// @param data the number of slices with the object's bytes: 2 to 20
/// @param parity the number of slices that are made of these, and so of those that may be lost: 1 to 4
public record ErasureCode(int data, int parity) {
    public static final int LEAST_DATA = 2;
    /// With 4 parity slices, 22 data slices have a set of 22 that does not make the others.
    public static final int MOST_DATA = 20;
    public static final int LEAST_PARITY = 1;
    public static final int MOST_PARITY = 4;

    private static final Pattern TEXT = Pattern.compile("(\\d{1,4})\\+(\\d{1,4})");

    public ErasureCode {
        if (data < LEAST_DATA || data > MOST_DATA || parity < LEAST_PARITY || parity > MOST_PARITY) {
            throw new IllegalArgumentException("an erasure code has %d to %d data and %d to %d parity slices, not %d+%d"
                    .formatted(LEAST_DATA, MOST_DATA, LEAST_PARITY, MOST_PARITY, data, parity));
        }
    }

    /// @param text such as `4+2`
    /// @throws IllegalArgumentException when the text is no such code
    public static ErasureCode parse(String text) {
        var found = TEXT.matcher(text);
        if (!found.matches()) {
            throw new IllegalArgumentException(
                    "an erasure code is written as data+parity, such as 4+2, not '%s'".formatted(text));
        }
        return new ErasureCode(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
    }

    /// The number of slices. Those at positions from 0 on have data, those from [#data] on parity.
    public int slices() {
        return data + parity;
    }

    /// How many slices have to be durable for a write to be acknowledged: one may be lost at once then, where the code
    /// has more than one to lose.
    public int floor() {
        return parity > 1 ? data + 1 : data;
    }

    public boolean isParity(int position) {
        return position >= data;
    }

    /// The data position of an object's block.
    public int position(long block) {
        return (int) (block % data);
    }

    /// The stripe of an object's block.
    public long stripe(long block) {
        return block / data;
    }

    @Override
    public String toString() {
        return data + "+" + parity;
    }
}
