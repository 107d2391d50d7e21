package dev.sluice.common.s3.listing;

import dev.sluice.common.s3.S3Request;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// One page of a bucket's multipart uploads in progress.
///
/// @param nextKeyMarker when truncated: the last key or common prefix of the page
/// @param nextUploadIdMarker when truncated: the last upload's id, empty after a common prefix
public record UploadsPage(
        List<ListedUpload> uploads,
        List<String> commonPrefixes,
        boolean truncated,
        String nextKeyMarker,
        String nextUploadIdMarker) {
    private static final Comparator<ListedUpload> ORDER =
            Comparator.comparing(ListedUpload::key, KeyOrder.INSTANCE).thenComparing(ListedUpload::uploadId);

    public UploadsPage {
        uploads = List.copyOf(uploads);
        commonPrefixes = List.copyOf(commonPrefixes);
    }

    /// Uploads are ordered by key, then id. Open uploads are few, so this takes all and sorts them.
    ///
    /// @param all every open upload of the bucket, in any order
    public static UploadsPage of(List<ListedUpload> all, S3Request.ListMultipartUploads request) {
        var uploads = new ArrayList<ListedUpload>();
        var prefixes = new ArrayList<String>();
        var key = "";
        var id = "";
        var rest = all.stream()
                .filter(upload -> isAfterMarkers(upload, request))
                .sorted(ORDER)
                .toList();
        for (var upload : rest) {
            int fold = ListingPage.fold(upload.key(), request.prefix(), request.delimiter());
            var folded = fold < 0 ? "" : upload.key().substring(0, fold);
            if (fold >= 0
                    && (folded.equals(request.keyMarker())
                            || (!prefixes.isEmpty() && prefixes.getLast().equals(folded)))) {
                continue;
            }
            if (uploads.size() + prefixes.size() == request.maxUploads()) {
                return new UploadsPage(uploads, prefixes, request.maxUploads() > 0, key, id);
            }
            if (fold < 0) {
                uploads.add(upload);
                key = upload.key();
                id = upload.uploadId();
            } else {
                prefixes.add(folded);
                key = folded;
                id = "";
            }
        }
        return new UploadsPage(uploads, prefixes, false, "", "");
    }

    private static boolean isAfterMarkers(ListedUpload upload, S3Request.ListMultipartUploads request) {
        if (!upload.key().startsWith(request.prefix())) {
            return false;
        }
        if (request.keyMarker().isEmpty()) {
            return true;
        }
        int keys = KeyOrder.INSTANCE.compare(upload.key(), request.keyMarker());
        return keys > 0
                || (keys == 0
                        && !request.uploadIdMarker().isEmpty()
                        && upload.uploadId().compareTo(request.uploadIdMarker()) > 0);
    }
}
