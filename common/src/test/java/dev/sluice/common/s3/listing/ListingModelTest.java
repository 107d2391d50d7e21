package dev.sluice.common.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The listing against the definition of S3's listing, written down without any cleverness.
class ListingModelTest {
    private static final String[] PIECES = {
        "a", "b", "c", "/", "/", "//", "..", "ab", "\0", "\uFFFD", "\uD83D\uDE00", "\uDBFF\uDFFF", "é", "~"
    };
    private static final String[] DELIMITERS = {"", "/", "a", "//", "ab", "\uD83D\uDE00", "\uDBFF\uDFFF"};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void pagesTogetherAreTheWholeWithoutDuplicatesOrLoss(long seed) {
        var random = new Random(seed);
        for (int round = 0; round < 80; round++) {
            var sources = sources(random);
            var all = union(sources);
            var prefix = random.nextInt(3) == 0 ? "" : key(random, 2);
            for (var delimiter : DELIMITERS) {
                var expected = new Model(all, prefix, delimiter);
                for (int maxKeys = 1; maxKeys <= 7; maxKeys++) {
                    assertThat(walk(sources, prefix, delimiter, maxKeys, random))
                            .as("seed %d, round %d, '%s' '%s' %d", seed, round, prefix, delimiter, maxKeys)
                            .isEqualTo(expected.entries(""));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void aPageBeginsBehindAnyMarker(long seed) {
        var random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            var sources = sources(random);
            var prefix = random.nextBoolean() ? "" : key(random, 2);
            var delimiter = DELIMITERS[random.nextInt(DELIMITERS.length)];
            var after = random.nextBoolean() ? key(random, 3) : prefix + key(random, 2);
            int maxKeys = random.nextInt(6);
            var expected = new Model(union(sources), prefix, delimiter).entries(after);
            var page = ListingPage.of(merge(sources, prefix, delimiter, random), prefix, delimiter, after, maxKeys);
            assertThat(entries(page))
                    .as("seed %d, round %d, '%s' '%s' '%s' %d", seed, round, prefix, delimiter, after, maxKeys)
                    .isEqualTo(expected.subList(0, Math.min(maxKeys, expected.size())));
            assertThat(page.truncated()).isEqualTo(maxKeys > 0 && expected.size() > maxKeys);
        }
    }

    private record Model(NavigableMap<String, ListedObject> all, String prefix, String delimiter) {
        List<String> entries(String after) {
            var entries = new TreeSet<>(KeyOrder.INSTANCE);
            for (var key : all.keySet()) {
                if (key.startsWith(prefix) && KeyOrder.INSTANCE.compare(key, after) > 0) {
                    int at = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
                    var entry = at < 0 ? key : key.substring(0, at + delimiter.length());
                    if (at < 0 || !entry.equals(after)) {
                        entries.add(entry);
                    }
                }
            }
            return List.copyOf(entries);
        }
    }

    private static List<String> walk(
            List<NavigableMap<String, ListedObject>> sources,
            String prefix,
            String delimiter,
            int maxKeys,
            Random random) {
        var walked = new ArrayList<String>();
        var after = "";
        while (true) {
            var page = ListingPage.of(merge(sources, prefix, delimiter, random), prefix, delimiter, after, maxKeys);
            var entries = entries(page);
            walked.addAll(entries);
            assertThat(walked.size()).as("pages that do not end").isLessThan(1000);
            if (!page.truncated()) {
                return walked;
            }
            assertThat(entries).hasSize(maxKeys).last().isEqualTo(page.next().orElseThrow());
            after = ContinuationToken.decode(
                    ContinuationToken.encode(page.next().orElseThrow()));
        }
    }

    private static List<String> entries(ListingPage page) {
        var entries = new ArrayList<String>(page.commonPrefixes());
        page.contents().forEach(object -> {
            assertThat(object.etag()).as("the first source that has it").isEqualTo("etag of " + object.key());
            entries.add(object.key());
        });
        assertThat(page.commonPrefixes()).isSortedAccordingTo(KeyOrder.INSTANCE);
        assertThat(page.contents()).extracting(ListedObject::key).isSortedAccordingTo(KeyOrder.INSTANCE);
        entries.sort(KeyOrder.INSTANCE);
        return entries;
    }

    /// Each source folds in its own way, or not at all.
    private static SortedKeys merge(
            List<NavigableMap<String, ListedObject>> sources, String prefix, String delimiter, Random random) {
        return new ListingMerge(sources.stream()
                .map(source -> {
                    var folding = Folding.values()[random.nextInt(Folding.values().length)];
                    PagedKeys.Fetch fetch =
                            (from, limit) -> page(source, folding, new ListQuery(prefix, delimiter, from, limit));
                    return new PagedKeys(fetch, 1 + random.nextInt(9));
                })
                .toList());
    }

    private enum Folding {
        NONE,
        FIRST_KEY,
        COMMON_PREFIX
    }

    private static PagedKeys.Page page(NavigableMap<String, ListedObject> source, Folding folding, ListQuery query) {
        var found = new ArrayList<ListedObject>();
        var group = "";
        for (var object : source.tailMap(query.from(), true).values()) {
            var key = object.key();
            int fold = key.startsWith(query.prefix()) ? ListingPage.fold(key, query.prefix(), query.delimiter()) : -1;
            if (fold < 0 || folding == Folding.NONE) {
                found.add(object);
            } else if (group.isEmpty() || !key.startsWith(group)) {
                group = key.substring(0, fold);
                boolean whole = KeyOrder.INSTANCE.compare(group, query.from()) >= 0;
                found.add(
                        folding == Folding.COMMON_PREFIX && whole
                                ? new ListedObject(group, 0, "", Instant.EPOCH)
                                : object);
            }
        }
        return new PagedKeys.Page(found.stream().limit(query.limit()).toList(), found.size() <= query.limit());
    }

    /// One to four sources that overlap; of a key that several have only the first has the right ETag.
    private static List<NavigableMap<String, ListedObject>> sources(Random random) {
        var sources = new ArrayList<NavigableMap<String, ListedObject>>();
        var seen = new TreeSet<String>();
        for (int count = 1 + random.nextInt(4); count > 0; count--) {
            var source = new TreeMap<String, ListedObject>(KeyOrder.INSTANCE);
            for (int keys = random.nextInt(25); keys > 0; keys--) {
                var key = key(random, 4);
                source.put(
                        key, new ListedObject(key, 1, seen.contains(key) ? "late" : "etag of " + key, Instant.EPOCH));
            }
            seen.addAll(source.keySet());
            sources.add(source);
        }
        return sources;
    }

    private static NavigableMap<String, ListedObject> union(List<NavigableMap<String, ListedObject>> sources) {
        var all = new TreeMap<String, ListedObject>(KeyOrder.INSTANCE);
        sources.forEach(all::putAll);
        return all;
    }

    private static String key(Random random, int pieces) {
        var key = new StringBuilder();
        for (int i = 1 + random.nextInt(pieces); i > 0; i--) {
            key.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return key.toString();
    }
}
