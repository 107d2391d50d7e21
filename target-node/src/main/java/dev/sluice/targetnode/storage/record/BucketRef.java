package dev.sluice.targetnode.storage.record;

import dev.sluice.common.erasure.ErasureCode;
import java.util.Optional;

/// A bucket as storage knows it: the id that is never used again, and the name its folder has.
///
/// @param copies how many drives are to keep each of its objects; asked only when something is written
/// @param replicated whether several targets keep each object: the table of slots says which drives, not this target
/// @param minInSync with how few in-sync replicas, or positions, a write is acknowledged; asked likewise
/// @param code where each replica has a slice of an object; asked likewise
public record BucketRef(
        long id, String name, int copies, boolean replicated, int minInSync, Optional<ErasureCode> code) {
    private static final int LONGEST = 255;

    public BucketRef {
        if (!isSafe(name)) {
            throw new IllegalArgumentException("a folder cannot be named after the bucket '" + name + "'");
        }
        if (copies < 1) {
            throw new IllegalArgumentException(copies + " copies");
        }
    }

    public BucketRef(long id, String name, int copies) {
        this(id, name, copies, false);
    }

    public BucketRef(long id, String name, int copies, boolean replicated) {
        this(id, name, copies, replicated, 1, Optional.empty());
    }

    /// With one copy of each object.
    public BucketRef(long id, String name) {
        this(id, name, 1);
    }

    /// Made for each request: no regular expression.
    private static boolean isSafe(String name) {
        boolean safe = !name.isEmpty() && name.length() <= LONGEST && name.charAt(0) != '.' && name.charAt(0) != '-';
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            safe &= (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '_'
                    || c == '.'
                    || c == '-';
        }
        return safe;
    }

    /// Whether the drives of this target alone have its objects: what moves, copies and evicts objects there leaves out
    /// all others.
    public boolean isLocal() {
        return !replicated;
    }
}
