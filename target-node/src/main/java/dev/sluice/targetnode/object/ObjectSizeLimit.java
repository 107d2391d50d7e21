package dev.sluice.targetnode.object;

import dev.sluice.common.store.StoreException;

/// The largest object, and the largest part of one, that is taken.
public record ObjectSizeLimit(long bytes) {
    public static final ObjectSizeLimit DEFAULT = new ObjectSizeLimit(5L << 40);

    /// @throws StoreException.EntityTooLarge when an object of this size is too large
    public void require(long size) {
        if (size > bytes) {
            throw new StoreException.EntityTooLarge(size, bytes);
        }
    }
}
