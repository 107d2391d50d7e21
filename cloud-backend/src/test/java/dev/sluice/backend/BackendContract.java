package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What every backend must do; each kind runs it against a real server of its kind.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BackendContract {
    static final BackendSettings SETTINGS = settings(5L << 30, 128L << 20);
    private static final long LARGE = 64L << 20;

    private MeterRegistry registry;
    private Backend backend;

    static BackendSettings settings(long multipartThreshold, long partSize) {
        return new BackendSettings(
                128,
                0,
                Duration.ofSeconds(2),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                4,
                Duration.ofMillis(100),
                Duration.ofSeconds(5),
                multipartThreshold,
                partSize);
    }

    /// A backend on a new, empty bucket.
    abstract Backend openEmpty(MeterRegistry registry);

    /// A backend on a bucket that is not there.
    abstract Backend openMissing();

    @BeforeEach
    void open() {
        registry = new SimpleMeterRegistry();
        backend = openEmpty(registry);
    }

    @AfterEach
    void close() {
        backend.close();
    }

    final Backend backend() {
        return backend;
    }

    @Test
    void whatIsPutComesBack() throws IOException {
        var bytes = utf8("some bytes");
        var before = Instant.now().minusSeconds(5);
        var put = put("a", bytes);
        var head = backend.head("a");
        try (var stream = backend.get("a", BackendRead.WHOLE)) {
            assertThat(Bytes.all(stream.body())).isEqualTo(bytes);
            assertThat(stream.object()).isEqualTo(head);
            assertThat(stream.offset()).isZero();
            assertThat(stream.length()).isEqualTo(bytes.length);
            assertThat(stream.whole()).isTrue();
        }
        assertThat(head.key()).isEqualTo("a");
        assertThat(head.size()).isEqualTo(bytes.length);
        assertThat(head.lastModified()).isBetween(before, Instant.now().plusSeconds(5));
        assertThat(put.version()).isEqualTo(head.version());
        assertThat(put.etag()).isEqualTo(head.etag());
        assertThat(put.size()).isEqualTo(head.size());
    }

    @Test
    void anEmptyObjectIsAnObject() throws IOException {
        put("empty", new byte[0]);
        assertThat(backend.head("empty").size()).isZero();
        assertThat(read("empty")).isEmpty();
    }

    @Test
    void theMd5IsTheOneOfTheBytes() {
        put("a", utf8("hello"));
        assertThat(backend.head("a").md5()).contains("5d41402abc4b2a76b9719d911017c592");
    }

    @Test
    void metadataAndHeadersComeBack() {
        var headers = new TreeMap<>(Map.of(
                "Content-Type", "image/jpeg",
                "Content-Encoding", "identity",
                "Content-Language", "de",
                "Content-Disposition", "attachment; filename=\"x.jpg\"",
                "Cache-Control", "max-age=60"));
        var metadata = new TreeMap<>(Map.of("label", "tabby cat", "two-words", "1"));
        var attributes = new WriteAttributes(headers, metadata, Optional.empty(), Map.of(), Optional.empty());
        var bytes = utf8("x");
        backend.put("m", bytes.length, Bytes.source(bytes), attributes, WriteCondition.NONE);
        var head = backend.head("m");
        assertThat(head.headers()).containsAllEntriesOf(headers);
        assertThat(head.userMetadata()).isEqualTo(metadata);
    }

    @Test
    void aPromisedChecksumIsKept() {
        var bytes = utf8("123456789");
        backend.put("c", bytes.length, Bytes.source(bytes), promising("4waSgw=="), WriteCondition.NONE);
        assertThat(backend.head("c").checksums()).containsEntry(ChecksumAlgorithm.CRC32C, "4waSgw==");
    }

    @Test
    void rangesAreServedAndKeepTheWholeObjectsAttributes() throws IOException {
        put("digits", utf8("0123456789"));
        var whole = backend.head("digits");
        record Case(ByteRange range, String expected, long offset) {}
        for (var each : List.of(
                new Case(new ByteRange.FromTo(0, 0), "0", 0),
                new Case(new ByteRange.FromTo(3, 5), "345", 3),
                new Case(new ByteRange.FromTo(7, Long.MAX_VALUE), "789", 7),
                new Case(new ByteRange.FromTo(8, 100), "89", 8),
                new Case(new ByteRange.Last(4), "6789", 6))) {
            try (var stream = backend.get("digits", BackendRead.of(each.range()))) {
                assertThat(Bytes.all(stream.body())).asString().as("%s", each).isEqualTo(each.expected());
                assertThat(stream.offset()).isEqualTo(each.offset());
                assertThat(stream.length()).isEqualTo(each.expected().length());
                assertThat(stream.object().size()).isEqualTo(10);
                assertThat(stream.object().version()).isEqualTo(whole.version());
                assertThat(stream.whole()).isFalse();
            }
        }
    }

    @Test
    void aRangeBehindTheEndIsRefused() {
        put("digits", utf8("0123456789"));
        assertThatThrownBy(() -> backend.get("digits", BackendRead.of(new ByteRange.FromTo(10, 12))))
                .isInstanceOf(StoreException.RangeNotSatisfiable.class);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> backend.head("none")).isInstanceOf(StoreException.NoSuchKey.class);
        assertThatThrownBy(() -> backend.get("none", BackendRead.WHOLE)).isInstanceOf(StoreException.NoSuchKey.class);
        assertThatThrownBy(() -> backend.get("none", BackendRead.WHOLE.ifVersion("123")))
                .isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void aMissingBucketIsNamed() {
        try (var missing = openMissing()) {
            assertThatThrownBy(() -> missing.head("a")).isInstanceOf(StoreException.NoSuchBucket.class);
            assertThatThrownBy(() -> missing.get("a", BackendRead.WHOLE))
                    .isInstanceOf(StoreException.NoSuchBucket.class);
            assertThatThrownBy(() -> missing.list("", "", "", 10)).isInstanceOf(StoreException.NoSuchBucket.class);
            assertThatThrownBy(() -> missing.put("a", 1, Bytes.source(utf8("x")), Bytes.PLAIN, WriteCondition.NONE))
                    .isInstanceOf(StoreException.NoSuchBucket.class);
        }
    }

    @Test
    void anOverwriteBetweenHeadAndGetIsNoticed() throws IOException {
        put("a", utf8("one"));
        var seen = backend.head("a").version();
        try (var stream = backend.get("a", BackendRead.WHOLE.ifVersion(seen))) {
            assertThat(Bytes.all(stream.body())).asString().isEqualTo("one");
        }
        put("a", utf8("two"));
        assertThatThrownBy(() -> backend.get("a", BackendRead.WHOLE.ifVersion(seen)))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        assertThatThrownBy(() -> backend.get(
                        "a", BackendRead.of(new ByteRange.FromTo(0, 1)).ifVersion(seen)))
                .isInstanceOf(StoreException.PreconditionFailed.class);
    }

    @Test
    void conditionalWritesFence() throws IOException {
        put("a", utf8("one"), new WriteCondition.IfAbsent());
        assertThatThrownBy(() -> put("a", utf8("two"), new WriteCondition.IfAbsent()))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        var first = backend.head("a").version();
        put("a", utf8("three"), new WriteCondition.IfVersion(first));
        assertThatThrownBy(() -> put("a", utf8("four"), new WriteCondition.IfVersion(first)))
                .isInstanceOf(StoreException.PreconditionFailed.class);
        assertThat(read("a")).asString().isEqualTo("three");
    }

    @Test
    void deletedIsGoneAndDeletingNothingIsNoFailure() {
        put("a", utf8("one"));
        backend.delete("a");
        assertThatThrownBy(() -> backend.head("a")).isInstanceOf(StoreException.NoSuchKey.class);
        backend.delete("a");
    }

    @Test
    void oddKeysComeBackAsTheyWere() throws IOException {
        for (var key : oddKeys()) {
            put(key, utf8("content of " + key));
        }
        for (var key : oddKeys()) {
            assertThat(read(key)).asString().isEqualTo("content of " + key);
        }
        var listed = backend.list("", "", "", 1000).entries().stream()
                .map(BackendPage.Entry::key)
                .toList();
        assertThat(listed).isEqualTo(sorted(oddKeys()));
    }

    /// For those whose server cannot hold one of them.
    List<String> oddKeys() {
        return List.of(
                "plain",
                "a/b",
                "dir/",
                "with space",
                "plus+plus",
                "per%20cent",
                "ünï/cödé",
                "\uFF5E",
                "😀",
                "a&b=c;d?e#f",
                "quote'\"<>",
                "tilde~star*(1)!",
                "comma,colon:at@$");
    }

    @Test
    void pagesAddUpToTheListing() {
        var keys = new ArrayList<String>();
        for (int i = 0; i < 25; i++) {
            keys.add("p/%02d".formatted(i));
            put(keys.getLast(), utf8("#" + i));
        }
        put("q", utf8("other"));
        for (int max : new int[] {1, 7, 25, 1000}) {
            assertThat(listAll("p/", "", max)).as("pages of %d", max).isEqualTo(keys);
        }
        var page = backend.list("p/", "", "p/10", 3);
        assertThat(page.entries()).extracting(BackendPage.Entry::key).containsExactly("p/11", "p/12", "p/13");
        assertThat(page.entries().getFirst().size()).isEqualTo(3);
        assertThat(page.entries().getFirst().etag())
                .isEqualTo(backend.head("p/11").etag());
        assertThat(backend.list("nothing/", "", "", 10).entries()).isEmpty();
    }

    @Test
    void aDelimiterRollsUp() {
        var keys = List.of("a", "b/1", "b/2", "b/c/3", "c/x", "d", "e/y");
        for (var key : keys) {
            put(key, utf8("."));
        }
        var expected = List.of("a", "b/", "c/", "d", "e/");
        for (int max : new int[] {1, 2, 1000}) {
            assertThat(listAll("", "/", max)).as("pages of %d", max).isEqualTo(expected);
        }
        assertThat(listAll("b/", "/", 1)).isEqualTo(List.of("b/1", "b/2", "b/c/"));
        assertThat(backend.list("", "/", "b/", 1000).commonPrefixes()).containsExactly("c/", "e/");
    }

    @Test
    void aBodyThatBreaksOffLeavesNothing() {
        assertThatThrownBy(() ->
                        backend.put("half", 1 << 20, Bytes.breakingAfter(300_000), Bytes.PLAIN, WriteCondition.NONE))
                .isInstanceOf(StoreException.IncompleteBody.class);
        assertThatThrownBy(() ->
                        backend.put("half", 1 << 20, Bytes.source(new byte[300_000]), Bytes.PLAIN, WriteCondition.NONE))
                .isInstanceOf(StoreException.IncompleteBody.class);
        assertThatThrownBy(() -> backend.head("half")).isInstanceOf(StoreException.NoSuchKey.class);
    }

    @Test
    void aBodyOtherThanPromisedIsRefused() {
        var bytes = utf8("not 123456789");
        assertThatThrownBy(() ->
                        backend.put("c", bytes.length, Bytes.source(bytes), promising("4waSgw=="), WriteCondition.NONE))
                .isInstanceOf(StoreException.BadDigest.class);
        assertThatThrownBy(() -> backend.head("c")).isInstanceOf(StoreException.NoSuchKey.class);
    }

    /// What has to be in memory at once: far less than the object.
    @Test
    void aLargeObjectStreamsThroughLittleMemory() throws IOException {
        backend.put("large", LARGE, Bytes.generated(LARGE), Bytes.PLAIN, WriteCondition.NONE);
        System.gc();
        long before = used();
        long most = 0;
        long at = 0;
        try (var stream = backend.get("large", BackendRead.WHOLE)) {
            long nextLook = 0;
            for (var bytes = stream.body().next();
                    bytes.hasRemaining();
                    bytes = stream.body().next()) {
                Bytes.check(bytes, at);
                at += bytes.remaining();
                if (at >= nextLook) {
                    System.gc();
                    most = Math.max(most, used() - before);
                    nextLook += LARGE / 4;
                }
            }
        }
        assertThat(at).isEqualTo(LARGE);
        assertThat(most).isLessThan(16 << 20);
        assertThat(registry.get("sluice.backend.bytes")
                        .tag("direction", "received")
                        .counter()
                        .count())
                .isGreaterThanOrEqualTo(LARGE);
    }

    @Test
    void aClosedStreamGivesItsConnectionBack() throws IOException {
        put("big", new byte[4 << 20]);
        for (int i = 0; i < 2 * SETTINGS.maxConnections(); i++) { // would run out of them
            try (var stream = backend.get("big", BackendRead.WHOLE)) {
                assertThat(stream.body().next().hasRemaining()).isTrue();
            }
        }
        assertThat(registry.get("sluice.backend.connections").gauge().value()).isZero();
    }

    @Test
    void whatArrivesIsVerified() throws IOException {
        var bytes = utf8("123456789");
        backend.put("c", bytes.length, Bytes.source(bytes), promising("4waSgw=="), WriteCondition.NONE);
        try (var stream = backend.get("c", BackendRead.WHOLE);
                var verified = BackendChecks.of(stream.object()).verifying(stream.body(), Runnable::run)) {
            assertThat(Bytes.all(verified)).isEqualTo(bytes);
        }
    }

    final BackendObject put(String key, byte[] bytes) {
        return put(key, bytes, WriteCondition.NONE);
    }

    final BackendObject put(String key, byte[] bytes, WriteCondition condition) {
        return backend.put(key, bytes.length, Bytes.source(bytes), Bytes.PLAIN, condition);
    }

    private byte[] read(String key) throws IOException {
        try (var stream = backend.get(key, BackendRead.WHOLE)) {
            return Bytes.all(stream.body());
        }
    }

    private List<String> listAll(String prefix, String delimiter, int max) {
        var all = new ArrayList<String>();
        var after = Optional.of("");
        while (after.isPresent()) {
            var page = backend.list(prefix, delimiter, after.get(), max);
            assertThat(page.entries().size() + page.commonPrefixes().size()).isLessThanOrEqualTo(max);
            var both = new TreeSet<>(KeyOrder.INSTANCE);
            page.entries().forEach(entry -> both.add(entry.key()));
            both.addAll(page.commonPrefixes());
            all.addAll(both);
            after = page.next();
        }
        return all;
    }

    static WriteAttributes promising(String crc32c) {
        return new WriteAttributes(
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Map.of(ChecksumAlgorithm.CRC32C, crc32c),
                Optional.empty());
    }

    private static List<String> sorted(List<String> keys) {
        return keys.stream()
                .sorted((one, other) -> Arrays.compareUnsigned(utf8(one), utf8(other)))
                .toList();
    }

    private static long used() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
