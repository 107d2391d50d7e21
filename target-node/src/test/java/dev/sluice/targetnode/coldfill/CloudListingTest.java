package dev.sluice.targetnode.coldfill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.s3.listing.ListQuery;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListingMerge;
import dev.sluice.common.s3.listing.ListingPage;
import dev.sluice.common.s3.listing.PagedKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CloudListingTest {
    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private List<ListedObject> list(String prefix, String delimiter, String from, int limit) {
        return target.handlers().listCloud(target.cached(), new ListQuery(prefix, delimiter, from, limit));
    }

    private ListingPage page(String prefix, String delimiter, String after, int maxKeys, int pageSize) {
        var cloud = new PagedKeys(
                (from, limit) -> {
                    var page = list(prefix, delimiter, from, limit);
                    return new PagedKeys.Page(page, page.size() < limit);
                },
                pageSize);
        return ListingPage.of(new ListingMerge(List.of(cloud)), prefix, delimiter, after, maxKeys);
    }

    /// At 20 ms each these would be the whole time of the listing.
    @Test
    void aThousandFoldersTakeTheCloudThreeRequests() {
        for (int i = 0; i < 1000; i++) {
            for (int file = 0; file < 3; file++) {
                target.inCloud("%04d/%d".formatted(i, file), new byte[1]);
            }
        }
        assertThat(page("", "/", "", 1000, 1000).commonPrefixes()).hasSize(1000);
        assertThat(target.cloud().memory().requests("list")).isLessThanOrEqualTo(3);
    }

    @Test
    void pagesOfAnyLengthBehindAnyMarkerAreThoseOfAnUnfoldedListing() {
        var keys = new TreeSet<>(KeyOrder.INSTANCE);
        for (var key : List.of("a", "a/", "a/1", "a/2", "a/b/1", "a/b/2", "a/c", "b", "b0", "b/1", "c/1", "c/2", "d")) {
            target.inCloud(key, new byte[1]);
            keys.add(key);
        }
        var markers = new ArrayList<>(keys);
        markers.addAll(List.of("", "a/1x", "a/b", "a/b/", "a/b/1x", "b/", "b/2", "c/", "c/3", "e"));
        for (var prefix : List.of("", "a", "a/", "b", "c/", "x")) {
            for (var delimiter : List.of("", "/", "b", "/b/")) {
                for (var after : markers) {
                    for (int size : new int[] {1, 2, 3, 100}) {
                        assertThat(page(prefix, delimiter, after, 4, size))
                                .as("'%s' '%s' '%s' %d", prefix, delimiter, after, size)
                                .isEqualTo(unfolded(prefix, delimiter, after));
                    }
                }
            }
        }
    }

    private ListingPage unfolded(String prefix, String delimiter, String after) {
        var cloud = new PagedKeys(
                (from, limit) -> {
                    var page = list(prefix, "", from, limit);
                    return new PagedKeys.Page(page, page.size() < limit);
                },
                1000);
        return ListingPage.of(cloud, prefix, delimiter, after, 4);
    }
}
