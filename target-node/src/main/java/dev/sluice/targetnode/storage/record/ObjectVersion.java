package dev.sluice.targetnode.storage.record;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which write of a key this is: the larger one is the newer one. Never given twice by one target.
///
/// @param epoch that of the key's slot; [#OWN_EPOCH] of what a target stores without replicas of a slot
public record ObjectVersion(long epoch, long sequence) implements Comparable<ObjectVersion> {
    public static final long OWN_EPOCH = 0;

    private static final HexFormat HEX = HexFormat.of();
    private static final int DIGITS = 16;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{16}-[0-9a-f]{16}");
    private static final Comparator<ObjectVersion> ORDER =
            Comparator.comparingLong(ObjectVersion::epoch).thenComparingLong(ObjectVersion::sequence);

    /// A name for files that belong to this version only.
    public String id() {
        return HEX.toHexDigits(epoch) + "-" + HEX.toHexDigits(sequence);
    }

    /// What [#id] says; empty for any other text.
    public static Optional<ObjectVersion> ofId(String id) {
        return ID.matcher(id).matches()
                ? Optional.of(new ObjectVersion(
                        HexFormat.fromHexDigitsToLong(id, 0, DIGITS),
                        HexFormat.fromHexDigitsToLong(id, DIGITS + 1, 2 * DIGITS + 1)))
                : Optional.empty();
    }

    /// Whether a target gave it by itself, and not for a replicated slot.
    public boolean isOwn() {
        return epoch == OWN_EPOCH;
    }

    /// Its sequence where it is an own one, else 0: those of replicated slots say nothing of what a target may give.
    public long ownSequence() {
        return isOwn() ? sequence : 0;
    }

    @Override
    public int compareTo(ObjectVersion other) {
        return ORDER.compare(this, other);
    }
}
