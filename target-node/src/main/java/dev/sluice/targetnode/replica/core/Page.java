package dev.sluice.targetnode.replica.core;

import java.util.List;

/// All rows of a range of keys.
///
/// @param range what the page covers: a key of it that is not in `rows` has no row
public record Page(KeyRange range, List<KeyVersion> rows) {
    public Page {
        rows = List.copyOf(rows);
    }
}
