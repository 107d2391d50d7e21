package dev.sluice.targetnode.storage.record;

import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.erasure.ErasureCode;
import dev.sluice.common.erasure.SliceLayout;

/// That a file has one slice of an object, and not all of it.
///
/// @param position which one; [Slice#NONE] for none: the file is empty
public record SliceOf(ErasureCode code, int position) {
    public SliceOf {
        if (position < Slice.NONE || position >= code.slices()) {
            throw new IllegalArgumentException("position " + position + " of " + code);
        }
    }

    /// How many sums of parity cells an object has.
    ///
    /// @param size of the object
    int paritySums(long size) {
        return new SliceLayout(code, size).stripes() * code.parity();
    }

    /// @param size of the object
    long bytes(long size) {
        return position == Slice.NONE ? 0 : new SliceLayout(code, size).sliceSize(position);
    }

    /// The sums of the slice's cells, from those of the object's blocks and parity cells.
    BlockSums sums(long size, BlockSums blocks, BlockSums parity) {
        var sums = new int[position == Slice.NONE ? 0 : new SliceLayout(code, size).cells(position)];
        for (int stripe = 0; stripe < sums.length; stripe++) {
            sums[stripe] = code.isParity(position)
                    ? parity.get(stripe * code.parity() + position - code.data())
                    : blocks.get(stripe * code.data() + position);
        }
        return BlockSums.of(sums);
    }
}
