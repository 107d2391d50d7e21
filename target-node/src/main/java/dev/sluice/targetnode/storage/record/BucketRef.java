package dev.sluice.targetnode.storage.record;

import java.util.regex.Pattern;

/// A bucket as storage knows it: the id that is never used again, and the name its folder has.
///
/// @param copies how many drives are to keep each of its objects; asked only when something is written
/// @param replicated whether several targets keep each object: the table of slots says which drives, not this target
public record BucketRef(long id, String name, int copies, boolean replicated) {
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}");

    public BucketRef {
        if (!SAFE.matcher(name).matches()) {
            throw new IllegalArgumentException("a folder cannot be named after the bucket '" + name + "'");
        }
        if (copies < 1) {
            throw new IllegalArgumentException(copies + " copies");
        }
    }

    public BucketRef(long id, String name, int copies) {
        this(id, name, copies, false);
    }

    /// With one copy of each object.
    public BucketRef(long id, String name) {
        this(id, name, 1);
    }
}
