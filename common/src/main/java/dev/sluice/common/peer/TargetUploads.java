package dev.sluice.common.peer;

import dev.sluice.common.s3.listing.ListedUpload;
import java.util.List;

/// The multipart uploads of a bucket that a target has.
///
/// @param cover the slots that the target answered for while it looked; [SlotCover#NONE] where the bucket's objects are
///     on no other target
public record TargetUploads(List<ListedUpload> uploads, SlotCover cover) {
    public TargetUploads {
        uploads = List.copyOf(uploads);
    }
}
