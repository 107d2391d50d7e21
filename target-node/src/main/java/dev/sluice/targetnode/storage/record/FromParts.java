package dev.sluice.targetnode.storage.record;

import java.util.List;

/// What an object's record says of the multipart upload that made it. So a Complete that is repeated finds its result.
///
/// @param uploadId 32 hexadecimal digits
/// @param sizes of its parts, in order
public record FromParts(String uploadId, List<Long> sizes) {
    public FromParts {
        sizes = List.copyOf(sizes);
    }
}
