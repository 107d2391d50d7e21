package dev.sluice.common.s3.listing;

import java.util.Optional;

/// The objects of one source (a target, a backend) in [KeyOrder], each key once. May block to fetch; one thread at
/// a time.
public interface SortedKeys {
    /// The next object, without taking it; empty at the end.
    Optional<ListedObject> peek();

    /// Whether [#peek] has nothing to fetch.
    default boolean isAtHand() {
        return true;
    }

    /// Takes the object that [#peek] shows; nothing at the end.
    void advance();

    /// Skips forward to the first object whose key is not less than this one; never goes back. How delimiter listings
    /// step over everything below a common prefix.
    void seek(String key);
}
