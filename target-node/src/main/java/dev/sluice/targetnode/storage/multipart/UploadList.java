package dev.sluice.targetnode.storage.multipart;

import dev.sluice.common.peer.SlotCover;
import dev.sluice.targetnode.storage.index.IndexKeys;
import dev.sluice.targetnode.storage.index.UploadKeys;
import dev.sluice.targetnode.storage.record.UploadState;
import dev.sluice.targetnode.storage.slots.SlotWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// Some multipart uploads of a bucket.
///
/// @param slots that this target answered for while it looked
public record UploadList(List<UploadState> uploads, SlotCover slots) {
    public UploadList {
        uploads = List.copyOf(uploads);
    }

    /// ListMultipartUploads, by key and then by id.
    ///
    /// @param keyMarker keys greater than it are listed, and of that very key the uploads with a greater id than
    ///     `idMarker` when that is given
    static UploadList of(
            SlotWriter writer, long bucketId, String prefix, String keyMarker, String idMarker, int limit) {
        var from = from(bucketId, prefix, keyMarker, idMarker);
        var cover = writer.uploads(bucketId);
        var all = new ArrayList<UploadState>();
        for (var drive : cover.drives()) {
            all.addAll(drive.call(() -> drive.uploads()
                    .list(
                            bucketId,
                            prefix,
                            from,
                            limit,
                            upload -> cover.has(upload.key(), drive.id(), upload.home()))));
        }
        cover.require();
        all.sort(Comparator.comparing(
                upload -> UploadKeys.upload(bucketId, upload.key(), upload.uploadId()), Arrays::compareUnsigned));
        return new UploadList(all.subList(0, Math.min(limit, all.size())), cover.slots());
    }

    private static byte[] from(long bucketId, String prefix, String keyMarker, String idMarker) {
        var first = IndexKeys.object(bucketId, prefix);
        if (keyMarker.isEmpty()) {
            return first;
        }
        var after = idMarker.isEmpty()
                ? IndexKeys.object(bucketId, keyMarker + "\1")
                : IndexKeys.after(UploadKeys.upload(bucketId, keyMarker, idMarker));
        return Arrays.compareUnsigned(first, after) > 0 ? first : after;
    }
}
