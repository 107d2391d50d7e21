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

    /// Where the uploads are.
    @FunctionalInterface
    public interface Sources {
        /// Each source's answer. Blocks.
        List<List<ListedUpload>> ask(UploadsQuery query);
    }

    /// Uploads are ordered by key, then id.
    public static UploadsPage of(Sources sources, S3Request.ListMultipartUploads request) {
        var page = new Page(request);
        var key = request.keyMarker();
        var id = request.uploadIdMarker();
        if (page.wasLast(key)) {
            key = KeyOrder.lastWithin(key);
        }
        while (!page.isFull()) {
            int limit = page.left() + 1; // to know whether there are more
            var answers = sources.ask(new UploadsQuery(request.prefix(), key, id, limit));
            var some = known(answers, limit);
            for (var upload : some) {
                page.add(upload);
            }
            if (answers.stream().allMatch(answer -> answer.size() < limit)) {
                return page.end();
            }
            var last = some.getLast();
            var folded = page.folded(last.key());
            key = folded.isEmpty() ? last.key() : KeyOrder.lastWithin(folded);
            id = folded.isEmpty() ? last.uploadId() : "";
        }
        return page.end();
    }

    /// Up to where each source has said all it has.
    private static List<ListedUpload> known(List<List<ListedUpload>> answers, int limit) {
        var all = answers.stream().flatMap(List::stream).sorted(ORDER);
        return answers.stream()
                .filter(answer -> answer.size() >= limit)
                .map(List::getLast)
                .min(ORDER)
                .map(end ->
                        all.filter(upload -> ORDER.compare(upload, end) <= 0).toList())
                .orElseGet(all::toList);
    }

    /// A page that is being made.
    private static final class Page {
        private final S3Request.ListMultipartUploads request;
        private final List<ListedUpload> uploads = new ArrayList<>();
        private final List<String> prefixes = new ArrayList<>();
        private String key = "";
        private String id = "";
        private boolean more;

        Page(S3Request.ListMultipartUploads request) {
            this.request = request;
        }

        int left() {
            return request.maxUploads() - uploads.size() - prefixes.size();
        }

        /// With one that does not fit, or none wanted.
        boolean isFull() {
            return more || request.maxUploads() == 0;
        }

        /// The common prefix of a key; empty when it is listed itself.
        String folded(String listed) {
            int fold = ListingPage.fold(listed, request.prefix(), request.delimiter());
            return fold < 0 ? "" : listed.substring(0, fold);
        }

        /// Whether this is a common prefix with which the page before ended.
        boolean wasLast(String folded) {
            return !folded.isEmpty() && folded.equals(request.keyMarker()) && folded.equals(folded(folded));
        }

        void add(ListedUpload upload) {
            var folded = folded(upload.key());
            if (more
                    || wasLast(folded)
                    || (!prefixes.isEmpty() && prefixes.getLast().equals(folded))) {
                return;
            }
            if (left() == 0) {
                more = true;
            } else if (folded.isEmpty()) {
                uploads.add(upload);
                key = upload.key();
                id = upload.uploadId();
            } else {
                prefixes.add(folded);
                key = folded;
                id = "";
            }
        }

        UploadsPage end() {
            return more
                    ? new UploadsPage(uploads, prefixes, true, key, id)
                    : new UploadsPage(uploads, prefixes, false, "", "");
        }
    }
}
