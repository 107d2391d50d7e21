package dev.sluice.common.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UploadsPageTest {
    private static final List<ListedUpload> OPEN = List.of(
            upload("b", "2"),
            upload("b", "1"),
            upload("a/x", "3"),
            upload("a/y", "4"),
            upload("a", "5"),
            upload("c/z", "6"));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
    void pagesTogetherAreAllUploads(int max) {
        for (int sources = 1; sources <= 4; sources++) {
            assertThat(walk(sources, "", max)).containsExactly("a#5", "a/x#3", "a/y#4", "b#1", "b#2", "c/z#6");
            assertThat(walk(sources, "/", max)).containsExactly("a#5", "a/", "b#1", "b#2", "c/");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void pagesTogetherAreAllParts(int max) {
        var parts = List.of(part(7), part(1), part(3));
        var walked = new ArrayList<Integer>();
        int marker = 0;
        while (true) {
            var page = PartsPage.of(parts, new S3Request.ListParts(new ObjectName("b", "k"), "u", marker, max));
            page.parts().forEach(part -> walked.add(part.partNumber()));
            marker = page.next();
            if (!page.truncated()) {
                break;
            }
        }
        assertThat(walked).containsExactly(1, 3, 7);
    }

    /// Some of the uploads each, as a target answers.
    private static List<List<ListedUpload>> answers(int sources, UploadsQuery query) {
        return IntStream.range(0, sources)
                .mapToObj(source -> OPEN.stream()
                        .filter(upload -> Integer.parseInt(upload.uploadId()) % sources == source)
                        .filter(upload -> upload.key().startsWith(query.prefix()) && isAfter(upload, query))
                        .sorted(Comparator.comparing(ListedUpload::key, KeyOrder.INSTANCE)
                                .thenComparing(ListedUpload::uploadId))
                        .limit(query.limit())
                        .toList())
                .toList();
    }

    private static boolean isAfter(ListedUpload upload, UploadsQuery query) {
        int keys = KeyOrder.INSTANCE.compare(upload.key(), query.keyMarker());
        return keys > 0
                || (keys == 0
                        && !query.idMarker().isEmpty()
                        && upload.uploadId().compareTo(query.idMarker()) > 0);
    }

    private static List<String> walk(int sources, String delimiter, int max) {
        var walked = new ArrayList<String>();
        var request = new S3Request.ListMultipartUploads("b", "", delimiter, "", "", max, false);
        while (true) {
            var page = UploadsPage.of(query -> answers(sources, query), request);
            var entries = new ArrayList<>(page.commonPrefixes());
            page.uploads().forEach(upload -> entries.add(upload.key() + "#" + upload.uploadId()));
            entries.sort(KeyOrder.INSTANCE);
            walked.addAll(entries);
            if (!page.truncated()) {
                return walked;
            }
            request = new S3Request.ListMultipartUploads(
                    "b", "", delimiter, page.nextKeyMarker(), page.nextUploadIdMarker(), max, false);
        }
    }

    private static ListedUpload upload(String key, String id) {
        return new ListedUpload(key, id, Instant.EPOCH);
    }

    private static ListedPart part(int number) {
        return new ListedPart(number, 1, "e", Instant.EPOCH, Map.of());
    }
}
