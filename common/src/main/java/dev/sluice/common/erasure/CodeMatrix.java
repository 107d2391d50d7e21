package dev.sluice.common.erasure;

import java.util.Arrays;
import java.util.List;

/// A matrix over [GaloisField]: the constants by which rows of a stripe are made of others.
final class CodeMatrix {
    private final int[][] values;

    private CodeMatrix(int[][] values) {
        this.values = values;
    }

    /// The constants that make these rows of a stripe of its blocks.
    ///
    /// @param blocks of the stripe; rows from there on are parity
    static CodeMatrix rows(int blocks, List<Integer> rows) {
        var values = new int[rows.size()][blocks];
        for (int i = 0; i < values.length; i++) {
            int row = rows.get(i);
            for (int block = 0; block < blocks; block++) {
                values[i][block] = row < blocks
                        ? (row == block ? 1 : 0)
                        : GaloisField.power((row - blocks) * (blocks - 1 - block));
            }
        }
        return new CodeMatrix(values);
    }

    int[][] values() {
        return values;
    }

    CodeMatrix times(CodeMatrix other) {
        var product = new int[values.length][other.values[0].length];
        for (int i = 0; i < product.length; i++) {
            for (int j = 0; j < product[i].length; j++) {
                for (int k = 0; k < other.values.length; k++) {
                    product[i][j] ^= GaloisField.multiply(values[i][k], other.values[k][j]);
                }
            }
        }
        return new CodeMatrix(product);
    }

    /// By elimination, beside the unit matrix.
    ///
    /// @throws ArithmeticException when there is none
    CodeMatrix inverse() {
        int size = values.length;
        var left = Arrays.stream(values).map(int[]::clone).toArray(int[][]::new);
        var right = new int[size][size];
        for (int i = 0; i < size; i++) {
            right[i][i] = 1;
        }
        for (int column = 0; column < size; column++) {
            int pivot = column;
            while (pivot < size && left[pivot][column] == 0) {
                pivot++;
            }
            if (pivot == size) {
                throw new ArithmeticException("these rows do not make the others");
            }
            swap(left, pivot, column);
            swap(right, pivot, column);
            int scale = GaloisField.inverse(left[column][column]);
            scale(left[column], scale);
            scale(right[column], scale);
            for (int row = 0; row < size; row++) {
                if (row != column) {
                    int factor = left[row][column];
                    subtract(left[row], left[column], factor);
                    subtract(right[row], right[column], factor);
                }
            }
        }
        return new CodeMatrix(right);
    }

    private static void swap(int[][] rows, int one, int other) {
        var row = rows[one];
        rows[one] = rows[other];
        rows[other] = row;
    }

    private static void scale(int[] row, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] = GaloisField.multiply(row[i], factor);
        }
    }

    private static void subtract(int[] row, int[] other, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] ^= GaloisField.multiply(other[i], factor);
        }
    }
}
