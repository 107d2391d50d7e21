package dev.sluice.targetnode.storage.multipart;

import dev.sluice.targetnode.storage.record.Part;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Decides, while an upload runs, which parts can be written at the place they will have in the object: those of
/// the size that the first large one announced, and a shorter last one. A part that is sent again goes apart, for
/// the one it replaces counts until it is whole.
final class PartLayout {
    /// Smaller ones say nothing: only the last part may be as small.
    static final long SMALLEST_UNIT = 5L << 20;

    private static final long LARGEST_OBJECT = 5L << 40;

    private final Set<Integer> taken = new TreeSet<>();
    private long unit;
    private int writing; // parts in the shared file
    private boolean ends;

    PartLayout(List<Part> present) {
        for (var part : present) {
            if (part.isInPlace()) {
                taken.add(part.number());
                unit = part.number() == 1 ? part.size() : part.offset() / (part.number() - 1);
            }
        }
    }

    /// @return the offset in the shared file, or -1 when the part must go apart
    synchronized long place(int number, long expected) {
        if (unit == 0 && expected >= SMALLEST_UNIT) {
            unit = expected;
        }
        boolean fits = number == 1 ? expected == unit : expected <= unit;
        long offset = (number - 1) * unit;
        if (ends || unit == 0 || expected <= 0 || !fits || offset + expected > LARGEST_OBJECT || !taken.add(number)) {
            return -1;
        }
        writing++;
        return offset;
    }

    /// Nothing is written to a place any more.
    synchronized void left() {
        writing--;
    }

    /// A Complete begins: from now on parts go apart.
    ///
    /// @return whether nobody writes to the shared file, so that it can become the object
    synchronized boolean ends() {
        ends = true;
        return writing == 0;
    }

    /// It was refused, or failed.
    synchronized void goesOn() {
        ends = false;
    }

    /// The place holds nothing: the part was not entered.
    synchronized void free(int number) {
        taken.remove(number);
    }
}
