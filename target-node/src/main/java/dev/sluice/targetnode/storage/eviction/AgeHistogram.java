package dev.sluice.targetnode.storage.eviction;

/// How many bytes were last read how long ago, in fixed memory: ages of up to two hours to the minute, older ones to
/// a sixty-fourth of the age.
final class AgeHistogram {
    private static final int FINE_BITS = 6;
    private static final int FINE = 1 << FINE_BITS;
    private static final int CLASSES = (Long.SIZE - FINE_BITS) * FINE;

    private final long now;
    private final long[] bytes = new long[CLASSES];

    /// @param now in minutes
    AgeHistogram(long now) {
        this.now = now;
    }

    /// The older, the greater.
    int ageClass(long minute) {
        long age = Math.max(0, now - minute);
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(age) - FINE_BITS - 1);
        return shift * FINE + (int) (age >> shift);
    }

    void add(long minute, long size) {
        bytes[ageClass(minute)] += size;
    }

    /// What is to go so that this many bytes do: all older than the class, and some of the class itself.
    Cut cut(long wanted) {
        long older = 0;
        for (int age = CLASSES - 1; age >= 0; age--) {
            if (older + bytes[age] >= wanted) {
                return new Cut(age, wanted - older, false);
            }
            older += bytes[age];
        }
        return new Cut(0, bytes[0], true);
    }

    /// @param ofClass how many bytes of the class itself
    /// @param all whether everything goes
    record Cut(int ageClass, long ofClass, boolean all) {}
}
