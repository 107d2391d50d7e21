package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.concurrent.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListHandlersTest {
    private static final Pattern KEY = Pattern.compile("<Contents><Key>([^<]*)</Key>");

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void pagesTogetherHaveEveryTargetsKeysInOrder(int size) {
        var bucket = cluster.bucket("shards");
        var all = new TreeSet<String>();
        for (int i = 0; i < 40; i++) {
            all.add("key" + i);
            cluster.put(bucket, "key" + i);
        }
        var listed = new ArrayList<String>();
        var after = "";
        while (true) {
            var page = keys(text(
                    cluster.send("GET /shards?list-type=2&max-keys=%d&start-after=%s".formatted(size, after), "")));
            listed.addAll(page);
            if (page.size() < size) {
                break;
            }
            after = page.getLast();
        }
        assertThat(listed).containsExactlyElementsOf(all);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /shards", "GET /shards?list-type=2&max-keys=1", "GET /shards?uploads"})
    void oneSilentTargetFailsAListing(String line) {
        var bucket = cluster.bucket("shards");
        cluster.put(bucket, "a");
        for (int silent = 1; silent <= 3; silent++) {
            cluster.target(silent).silence(true);
            assertThat(outcome(cluster.send(line, ""))).isEqualTo("503 ServiceUnavailable");
            cluster.target(silent).silence(false);
            assertThat(outcome(cluster.send(line, ""))).isEqualTo("200");
        }
    }

    /// A cloud's listing may take longer.
    @Test
    void aListingOfTheTargetsTakesFourSecondsInAll() {
        var limits = new ConcurrentLinkedQueue<Duration>();
        cluster.targets
                .values()
                .forEach(target -> target.whenListed(() -> limits.add(Deadline.atMost(Duration.ofDays(1)))));
        cluster.bucket("shards");
        cluster.backed("cached");
        assertThat(outcome(cluster.send("GET /shards", ""))).isEqualTo("200");
        assertThat(limits).isNotEmpty().allSatisfy(limit -> assertThat(limit).isLessThan(Duration.ofSeconds(4)));
        limits.clear();
        assertThat(outcome(cluster.send("GET /cached", ""))).isEqualTo("200");
        assertThat(limits).isNotEmpty().containsOnly(Duration.ofDays(1));
    }

    @Test
    void bucketWithoutReplicasIsAskedForAtAllTargetsAlsoAtOneThatIsDown() {
        var bucket = cluster.bucket("shards");
        cluster.put(bucket, "a");
        cluster.put(bucket, cluster.keyOf(bucket, "target003"));
        cluster.down(3);
        cluster.target(3).silence(true);
        assertThat(outcome(cluster.send("GET /shards", ""))).isEqualTo("503 ServiceUnavailable");
        assertThat(cluster.target(3).listings()).isEqualTo(1);
        cluster.target(3).silence(false);
        assertThat(keys(text(cluster.send("GET /shards", ""))))
                .containsExactlyInAnyOrder("a", cluster.keyOf(bucket, "target003"));
        assertThat(cluster.targets.values())
                .allSatisfy(target -> assertThat(target.listings()).isPositive());
    }

    @Test
    void whatIsInTheCloudIsListedOnceAndAsItIsHere() {
        var bucket = cluster.backed("cached");
        cluster.put(bucket, "both");
        cluster.put(bucket, "here");
        cluster.targets.values().forEach(target -> target.cloud().addAll(List.of("both", "cold")));
        var listing = text(cluster.send("GET /cached?list-type=2", ""));
        assertThat(keys(listing)).containsExactly("both", "cold", "here");
        assertThat(listing.split("cloud", -1)).as("one entry is the cloud's").hasSize(2);
    }

    /// Some bucket's cloud is asked at each of the targets.
    @Test
    void cachedBucketIsListedByTheTargetsThatAreUp() {
        for (int i = 0; i < 3; i++) {
            var bucket = cluster.backed("cached" + i);
            cluster.targets.values().forEach(target -> {
                target.keys(bucket.id()).add("both");
                target.cloud().addAll(List.of("both", "cold"));
            });
            cluster.target(3).keys(bucket.id()).add("lost by the cloud");
            cluster.down(3);
            cluster.target(3).silence(true);
            var listing = text(cluster.send("GET /%s?list-type=2".formatted(bucket.name()), ""));
            assertThat(keys(listing)).containsExactly("both", "cold");
            cluster.target(3).silence(false);
            cluster.up(3);
            assertThat(keys(text(cluster.send("GET /" + bucket.name(), ""))))
                    .containsExactly("both", "cold", "lost by the cloud");
            cluster.target(3).silence(true);
            assertThat(outcome(cluster.send("GET /" + bucket.name(), "")))
                    .as("it is up, and silent")
                    .isEqualTo("503 ServiceUnavailable");
            cluster.target(3).silence(false);
        }
    }

    @Test
    void cachedBucketIsNotListedWhileNoTargetIsUp() {
        cluster.backed("cached");
        List.of(1, 2, 3).forEach(cluster::down);
        assertThat(outcome(cluster.send("GET /cached", ""))).isEqualTo("503 ServiceUnavailable");
    }

    @Test
    void bucketThatComparesListsWhatTheCloudHas() {
        cluster.backed("cached");
        var rule = "{\"action\":\"set-bprops\",\"value\":{\"revalidate\":\"1h\"}}";
        assertThat(cluster.send("PATCH /v1/buckets/cached", rule).status()).isEqualTo(200);
        var bucket = cluster.known("cached").orElseThrow();
        cluster.put(bucket, "both");
        cluster.put(bucket, "here");
        cluster.targets.values().forEach(target -> target.cloud().addAll(List.of("both", "cold")));
        var listing = text(cluster.send("GET /cached?list-type=2", ""));
        assertThat(keys(listing)).containsExactly("both", "cold");
        assertThat(listing.split("cloud", -1))
                .as("both entries are the cloud's")
                .hasSize(3);
    }

    static List<String> keys(String xml) {
        return KEY.matcher(xml).results().map(match -> match.group(1)).toList();
    }
}
