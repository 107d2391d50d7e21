package dev.sluice.targetnode.storage.record;

import java.util.regex.Pattern;

/// A bucket as storage knows it: the id that is never used again, and the name its folder has.
public record BucketRef(long id, String name) {
    private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}");

    public BucketRef {
        if (!SAFE.matcher(name).matches()) {
            throw new IllegalArgumentException("a folder cannot be named after the bucket '" + name + "'");
        }
    }
}
