package dev.sluice.targetnode.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.HttpDate;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.storage.pace.Clock;
import dev.sluice.targetnode.storage.pace.RateLimiter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ExpirationsTest {
    private static final String DAY = "<Expiration><Days>1</Days></Expiration>";
    private static final byte[] CONTENT = new byte[100];

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private void set(UnaryOperator<BucketProperties> change) {
        var now = bucket();
        target.control()
                .apply(new Command.SetBucketProperties(
                        now.name(), now.id(), now.properties(), change.apply(now.properties())));
    }

    private Bucket bucket() {
        return target.control().confirm().buckets().find(target.own().name()).orElseThrow();
    }

    private void rules(String... rules) {
        var document = new StringBuilder("<LifecycleConfiguration>");
        for (var rule : rules) {
            document.append("<Rule><Status>Enabled</Status>").append(rule).append("</Rule>");
        }
        set(before -> before.with(
                BucketDocument.LIFECYCLE,
                Optional.of(document.append("</LifecycleConfiguration>").toString())));
    }

    private void expireAfter(Duration life) {
        set(before -> new BucketProperties(
                before.backend(),
                before.durability(),
                before.documents(),
                before.route(),
                before.localCopies(),
                before.replicas(),
                before.data(),
                before.minInSync(),
                before.quota(),
                before.cache(),
                Optional.of(life)));
    }

    private void put(String key, int size, String tags) {
        var headers = Tags.with(new TreeMap<>(), tags);
        var attributes = new WriteAttributes(headers, new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty());
        assertThat(target.put(bucket(), key, new byte[size], attributes, Conditions.NONE)
                        .status())
                .isEqualTo(200);
    }

    private void put(String key) {
        put(key, CONTENT.length, "");
    }

    private List<String> stored(String... keys) {
        return List.of(keys).stream()
                .filter(key -> target.stored(bucket(), key))
                .toList();
    }

    private void pass() {
        target.handlers().expirations().passes();
    }

    @Test
    void whatHasExpiredIsDeletedWhenItIsTimeAndNotBefore() {
        rules("<Filter><Prefix>tmp/</Prefix></Filter>" + DAY);
        put("tmp/a");
        put("tmp/b/c");
        put("kept");
        pass();
        assertThat(stored("tmp/a", "tmp/b/c", "kept")).hasSize(3);
        var status = target.handlers().expiry(bucket().id());
        assertThat(status.waiting()).isEqualTo(2);
        assertThat(status.deleted()).isZero();
        target.passes(Duration.ofDays(2)); // a day, and then to the next midnight
        assertThat(target.get(bucket(), "tmp/a").status())
                .as("readable until it is deleted")
                .isEqualTo(200);
        pass();
        assertThat(stored("tmp/a", "tmp/b/c", "kept")).containsExactly("kept");
        status = target.handlers().expiry(bucket().id());
        assertThat(status.deleted()).isEqualTo(2);
        assertThat(status.waiting()).isZero();
        assertThat(status.problem()).isEmpty();
        assertThat(status.lastMillis()).isPositive();
    }

    @Test
    void aBucketCanLetAllItsObjectsExpire() {
        expireAfter(Duration.ofMinutes(90));
        put("a");
        target.passes(Duration.ofMinutes(89));
        pass();
        assertThat(stored("a")).containsExactly("a");
        target.passes(Duration.ofMinutes(2));
        pass();
        assertThat(stored("a")).isEmpty();
    }

    @Test
    void rulesWithTagsAndSizesConcernThoseObjects() {
        rules(
                "<Filter><Tag><Key>keep</Key><Value>no</Value></Tag></Filter>" + DAY,
                "<Filter><ObjectSizeGreaterThan>1000</ObjectSizeGreaterThan></Filter>" + DAY);
        put("untagged");
        put("tagged", 10, "keep=no&team=vision");
        put("otherwise", 10, "keep=yes");
        put("large", 1001, "");
        put("small", 1000, "");
        target.passes(Duration.ofDays(2));
        pass();
        assertThat(stored("untagged", "tagged", "otherwise", "large", "small"))
                .containsExactly("untagged", "otherwise", "small");
    }

    @Test
    void pagesOfKeysAreWalkedToTheirEnd() {
        expireAfter(Duration.ofMinutes(1));
        for (int i = 0; i < 2100; i++) {
            put("k%05d".formatted(i), 1, "");
        }
        target.passes(Duration.ofHours(1));
        pass();
        assertThat(target.handlers().expiry(bucket().id()).deleted()).isEqualTo(2100);
        assertThat(target.store().isEmpty(bucket().id())).isTrue();
    }

    /// Its gate lets the client through between the moment when the pass sees the object and its deletion.
    @Test
    void ofAWriteInBetweenTheWriteCounts() {
        expireAfter(Duration.ofMinutes(1));
        put("a");
        put("b");
        var views = new ClusterViews(target.control());
        var times = new AtomicInteger();
        var writes = new BucketWriteGate(views, (_, _) -> {
            if (times.getAndIncrement() == 0) {
                put("a", 7, "");
                put("b", 7, "");
            }
            return true;
        });
        var pass = new ExpiryPass(
                target.store(),
                views,
                writes,
                new RateLimiter(Clock.SYSTEM, () -> 0),
                Duration.ofDays(1),
                Instant.now().plus(Duration.ofHours(1)),
                () -> true);
        pass.over(bucket());
        assertThat(times).hasPositiveValue();
        assertThat(pass.result().deleted()).isLessThan(2);
        assertThat(stored("a", "b")).isNotEmpty();
        for (var key : stored("a", "b")) {
            assertThat(target.get(bucket(), key).body()).hasSize(7);
        }
    }

    @Test
    void aClockThatIsWrongDeletesNothing() {
        expireAfter(Duration.ofMinutes(1));
        put("a");
        var views = new ClusterViews(target.control());
        var wrong = InstantSource.offset(InstantSource.system(), Duration.ofHours(1));
        var clocks = new ClockCheck(
                ClockCheckTest.SELF, () -> ClockCheckTest.OTHERS, _ -> Optional.of(Instant.now()), wrong);
        try (var expirations =
                new Expirations(target.store(), views, target.newWrites(), clocks, wrong, ExpirySettings.DEFAULTS)) {
            expirations.passes();
            assertThat(stored("a")).containsExactly("a");
            assertThat(expirations.status(bucket().id()).problem())
                    .hasValueSatisfying(why -> assertThat(why).contains("differs by more than a minute"));
        }
    }

    @Test
    void answersSayWhenAnObjectExpires() {
        rules("<ID>a rule/1</ID><Filter><Prefix>tmp/</Prefix></Filter>" + DAY);
        var written = target.put(bucket(), "tmp/a", CONTENT);
        var pattern =
                "expiry-date=\"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} 00:00:00 GMT\", rule-id=\"a%20rule%2F1\"";
        for (var answer : List.of(
                written.header("x-amz-expiration"),
                target.get(bucket(), "tmp/a").header("x-amz-expiration"),
                target.head(bucket(), "tmp/a").header("x-amz-expiration"))) {
            assertThat(answer).matches(pattern);
        }
        put("kept");
        assertThat(target.get(bucket(), "kept").header("x-amz-expiration")).isEmpty();
        set(before -> before.with(BucketDocument.LIFECYCLE, Optional.empty()));
        expireAfter(Duration.ofDays(3));
        var modified = target.head(bucket(), "kept").header("Last-Modified");
        assertThat(target.head(bucket(), "kept").header("x-amz-expiration"))
                .startsWith("expiry-date=\"" + later(modified, Duration.ofDays(3)) + "\"");
    }

    private static String later(String date, Duration by) {
        return HttpDate.format(Instant.from(java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME.parse(date))
                .plus(by));
    }

    @Test
    void aBucketWithoutRulesIsNotWalked() {
        put("a");
        target.passes(Duration.ofDays(1000));
        pass();
        assertThat(stored("a")).containsExactly("a");
        assertThat(target.handlers().expiry(bucket().id()).lastMillis()).isZero();
        var request = new S3Request.GetObjectTagging(new ObjectName(bucket().name(), "a"));
        assertThat(Received.of(target.run(TargetFixture.call(request, bucket(), 0), ByteSource.empty()))
                        .status())
                .isEqualTo(200);
    }
}
