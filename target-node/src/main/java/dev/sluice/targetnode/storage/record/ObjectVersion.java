package dev.sluice.targetnode.storage.record;

import java.util.Comparator;
import java.util.HexFormat;

/// Which write of a key this is: the larger one is the newer one. Never given twice by one target.
public record ObjectVersion(long epoch, long sequence) implements Comparable<ObjectVersion> {
    private static final HexFormat HEX = HexFormat.of();
    private static final Comparator<ObjectVersion> ORDER =
            Comparator.comparingLong(ObjectVersion::epoch).thenComparingLong(ObjectVersion::sequence);

    /// A name for files that belong to this version only.
    public String id() {
        return HEX.toHexDigits(epoch) + "-" + HEX.toHexDigits(sequence);
    }

    @Override
    public int compareTo(ObjectVersion other) {
        return ORDER.compare(this, other);
    }
}
