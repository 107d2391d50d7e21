package dev.sluice.common.peer;

import dev.sluice.common.s3.listing.ListedObject;
import java.util.List;

/// A target's part of a listing.
///
/// @param cover of a replicated bucket: the slots that the target answered for from before it looked until after;
///     [SlotCover#NONE] of another bucket
public record TargetPage(List<ListedObject> objects, SlotCover cover) {
    /// Of a bucket that is not replicated.
    public TargetPage(List<ListedObject> objects) {
        this(objects, SlotCover.NONE);
    }
}
