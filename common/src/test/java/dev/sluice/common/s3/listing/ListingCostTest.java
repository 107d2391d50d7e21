package dev.sluice.common.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a listing asks of its sources.
@Timeout(30)
class ListingCostTest {
    private final NavigableMap<String, ListedObject> objects = new TreeMap<>(KeyOrder.INSTANCE);
    private final AtomicInteger pages = new AtomicInteger();
    private final AtomicInteger fetched = new AtomicInteger();

    @BeforeEach
    void fiftyFoldersOfAThousand() {
        for (int folder = 0; folder < 50; folder++) {
            for (int i = 0; i < 1000; i++) {
                var key = "folder%02d/%04d".formatted(folder, i);
                objects.put(key, new ListedObject(key, i, "e", Instant.EPOCH));
            }
        }
    }

    @Test
    void aDelimiterListingStepsOverFolders() {
        var page = ListingPage.of(source(), "", "/", "", 1000);
        assertThat(page.commonPrefixes()).hasSize(50);
        assertThat(pages.get()).isLessThanOrEqualTo(51);
        assertThat(fetched.get()).isLessThan(2000);
    }

    @Test
    void aSourceThatFoldsIsAskedForOnePage() {
        var asked = new AtomicInteger();
        var folders = new PagedKeys(
                (from, limit) -> {
                    asked.incrementAndGet();
                    var rest = IntStream.range(0, 3000)
                            .mapToObj("%04d/"::formatted)
                            .filter(folder -> folder.compareTo(from) >= 0)
                            .limit(limit)
                            .map(folder -> new ListedObject(folder, 0, "", Instant.EPOCH))
                            .toList();
                    return new PagedKeys.Page(rest, rest.size() < limit);
                },
                100);
        assertThat(ListingPage.of(folders, "", "/", "", 1000).commonPrefixes()).hasSize(1000);
        assertThat(asked).as("pages of 100").hasValue(11);
    }

    /// The slow one would otherwise be waited for.
    @Test
    void sourcesAreAskedAtOnceAndTheFirstFailureIsTheListings() {
        var never = new CompletableFuture<PagedKeys.Page>();
        var silent = new PagedKeys((_, _) -> never.join(), 10);
        SortedKeys broken = new PagedKeys(
                (_, _) -> {
                    throw new IllegalStateException("target down");
                },
                10);
        assertThatThrownBy(() -> ListingPage.of(new ListingMerge(List.of(silent, broken)), "", "", "", 10))
                .hasMessage("target down");
        never.complete(new PagedKeys.Page(List.of(), true));
    }

    @Test
    void aPlainListingFetchesWhatItShows() {
        var page = ListingPage.of(source(), "folder07/", "", "", 1000);
        assertThat(page.contents()).hasSize(1000);
        assertThat(page.truncated()).isFalse();
        assertThat(pages.get()).isEqualTo(1);
    }

    @Test
    void aSourceThatFailsFailsTheListing() {
        SortedKeys broken = new PagedKeys(
                (_, _) -> {
                    throw new IllegalStateException("target down");
                },
                10);
        assertThatThrownBy(() -> ListingPage.of(new ListingMerge(List.of(source(), broken)), "", "", "", 10))
                .hasMessage("target down");
    }

    @Test
    void aSourceThatNeverEndsIsNoticed() {
        SortedKeys endless = new PagedKeys((_, _) -> new PagedKeys.Page(List.of(), false), 10);
        assertThatThrownBy(endless::peek).isInstanceOf(IllegalStateException.class);
    }

    private SortedKeys source() {
        return new PagedKeys(
                (from, limit) -> {
                    var rest = objects.tailMap(from, true);
                    var page = rest.values().stream().limit(limit).toList();
                    pages.incrementAndGet();
                    fetched.addAndGet(page.size());
                    return new PagedKeys.Page(page, rest.size() <= limit);
                },
                1001);
    }
}
