package dev.sluice.targetnode.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Conditions.IfRange;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.answer.ObjectAnswer.Known;
import dev.sluice.targetnode.expiry.ExpiryDates;
import dev.sluice.targetnode.storage.record.FromParts;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ObjectAnswerTest {
    private static final Instant MODIFIED = Instant.parse("2026-02-03T04:05:06.789Z");
    private static final Known PLAIN = known(100, Map.of(ChecksumAlgorithm.CRC32C, "4waSgw=="), List.of());
    private static final Known PARTS = known(100, Map.of(ChecksumAlgorithm.SHA256, "abc=-3"), List.of(40L, 40L, 20L));

    private static Known known(long size, Map<ChecksumAlgorithm, String> checksums, List<Long> parts) {
        return new Known(
                size,
                "e1",
                MODIFIED,
                checksums,
                new TreeMap<>(Map.of("Content-Type", "image/jpeg", "Cache-Control", "no-cache")),
                new TreeMap<>(Map.of("label", "cat")),
                parts.isEmpty()
                        ? Optional.empty()
                        : Optional.of(new FromParts("id", parts, List.of(), Optional.empty())));
    }

    private static Asked asked(Optional<ByteRange> range, Optional<Integer> part, boolean checksums) {
        return asked(range, part, checksums, Conditions.NONE, new TreeMap<>());
    }

    private static Asked asked(
            Optional<ByteRange> range,
            Optional<Integer> part,
            boolean checksums,
            Conditions conditions,
            SortedMap<String, String> overrides) {
        return new Asked(
                range,
                conditions,
                part,
                checksums,
                overrides,
                false,
                Optional.empty(),
                Optional.empty(),
                false,
                ExpiryDates.Telling.NOTHING);
    }

    private static ObjectAnswer whole(Known object) {
        return answerTo(object, asked(Optional.empty(), Optional.empty(), false));
    }

    @Test
    void theWholeObject() {
        var answer = whole(PLAIN);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.offset()).isZero();
        assertThat(answer.length()).isEqualTo(100);
        assertThat(answer.headers().toString()).doesNotContain("Content-Range").doesNotContain("checksum");
        assertThat(answer.headers().first("ETag")).contains("\"e1\"");
        assertThat(answer.headers().first("Last-Modified")).contains("Tue, 03 Feb 2026 04:05:06 GMT");
        assertThat(answer.headers().first("Accept-Ranges")).contains("bytes");
        assertThat(answer.headers().all("Content-Type")).containsExactly("image/jpeg");
        assertThat(answer.headers().first("Cache-Control")).contains("no-cache");
        assertThat(answer.headers().first("x-amz-meta-label")).contains("cat");
    }

    @Test
    void onlyCachedBucketsHaveTheWellKnownCacheHeader() {
        for (var result : CacheResult.values()) {
            var own = ObjectAnswer.of(PLAIN, asked(Optional.empty(), Optional.empty(), false), result);
            assertThat(own.headers().first("X-Cache")).isEmpty();
            assertThat(own.headers().first("x-sluice-cache")).contains(result.word());
            var request = new S3Request.HeadObject(
                    new ObjectName("bucket", "key"),
                    Optional.empty(),
                    Conditions.NONE,
                    Optional.empty(),
                    false,
                    new TreeMap<>());
            var cached = ObjectAnswer.of(PLAIN, Asked.of(request, true), result);
            assertThat(cached.headers().all("X-Cache")).containsExactly(result.name());
            assertThat(cached.headers().first("x-sluice-cache")).contains(result.word());
        }
    }

    @Test
    void ranges() {
        record Case(ByteRange range, long offset, long length) {}
        for (var each : List.of(
                new Case(new ByteRange.FromTo(0, 0), 0, 1),
                new Case(new ByteRange.FromTo(0, 99), 0, 100),
                new Case(new ByteRange.FromTo(99, 99), 99, 1),
                new Case(new ByteRange.FromTo(90, 500), 90, 10),
                new Case(new ByteRange.FromTo(10, Long.MAX_VALUE), 10, 90),
                new Case(new ByteRange.Last(1), 99, 1),
                new Case(new ByteRange.Last(100), 0, 100),
                new Case(new ByteRange.Last(1000), 0, 100))) {
            var answer = answerTo(PLAIN, asked(Optional.of(each.range), Optional.empty(), false));
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.offset()).as("%s", each).isEqualTo(each.offset);
            assertThat(answer.length()).as("%s", each).isEqualTo(each.length);
            assertThat(answer.headers().first("Content-Range"))
                    .contains("bytes %d-%d/100".formatted(each.offset, each.offset + each.length - 1));
        }
        for (var outside :
                List.<ByteRange>of(new ByteRange.FromTo(100, 100), new ByteRange.FromTo(500, Long.MAX_VALUE))) {
            assertThatThrownBy(() -> answerTo(PLAIN, asked(Optional.of(outside), Optional.empty(), false)))
                    .isInstanceOf(StoreException.RangeNotSatisfiable.class);
        }
    }

    @Test
    void partNumbers() {
        record Case(Known object, int part, long offset, long length, Optional<String> count) {}
        for (var each : List.of(
                new Case(PARTS, 1, 0, 40, Optional.of("3")),
                new Case(PARTS, 2, 40, 40, Optional.of("3")),
                new Case(PARTS, 3, 80, 20, Optional.of("3")),
                new Case(PLAIN, 1, 0, 100, Optional.empty()))) {
            var answer = answerTo(each.object, asked(Optional.empty(), Optional.of(each.part), false));
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.offset()).as("%s", each).isEqualTo(each.offset);
            assertThat(answer.length()).as("%s", each).isEqualTo(each.length);
            assertThat(answer.headers().first("x-amz-mp-parts-count")).isEqualTo(each.count);
        }
        for (var object : List.of(PARTS, PLAIN)) {
            assertThatThrownBy(() -> answerTo(object, asked(Optional.empty(), Optional.of(4), false)))
                    .isInstanceOfSatisfying(
                            S3Failure.class,
                            failure -> assertThat(failure.error().status()).isEqualTo(416));
        }
    }

    @Test
    void partsHaveTheNumbersAndChecksumsThatTheyWereSentWith() {
        var sums = new FromParts.Checksums(ChecksumAlgorithm.CRC32, "AAAAAA==AQAAAA==AgAAAA==");
        var parts = new FromParts("id", List.of(40L, 40L, 20L), List.of(2, 5, 9), Optional.of(sums));
        var object = new Known(
                100,
                "e1",
                MODIFIED,
                Map.of(ChecksumAlgorithm.CRC32, "AwAAAA==-3"),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.of(parts));
        var fifth = answerTo(object, asked(Optional.empty(), Optional.of(5), true));
        assertThat(fifth.offset()).isEqualTo(40);
        assertThat(fifth.length()).isEqualTo(40);
        assertThat(fifth.headers().first("x-amz-checksum-crc32")).contains("AQAAAA==");
        assertThat(fifth.headers().first("x-amz-checksum-type")).contains("COMPOSITE");
        assertThat(fifth.headers().first("x-amz-mp-parts-count")).contains("3");
        assertThat(answerTo(object, asked(Optional.empty(), Optional.of(9), false))
                        .headers()
                        .toString())
                .doesNotContain("checksum");
        assertThatThrownBy(() -> answerTo(object, asked(Optional.empty(), Optional.of(3), false)))
                .isInstanceOf(S3Failure.class);
    }

    @Test
    void thePartOfAnEmptyObjectIsAllOfIt() {
        var empty = known(0, Map.of(), List.of());
        var answer = answerTo(empty, asked(Optional.empty(), Optional.of(1), false));
        assertThat(answer.length()).isZero();
        assertThat(answer.headers().first("Content-Range").orElse("")).doesNotContain("-1");
    }

    @Test
    void checksumsAreGivenForTheWholeWhenAskedFor() {
        var plain = answerTo(PLAIN, asked(Optional.empty(), Optional.empty(), true));
        assertThat(plain.headers().first("x-amz-checksum-crc32c")).contains("4waSgw==");
        assertThat(plain.headers().first("x-amz-checksum-type")).contains("FULL_OBJECT");
        var parts = answerTo(PARTS, asked(Optional.empty(), Optional.empty(), true));
        assertThat(parts.headers().first("x-amz-checksum-sha256")).contains("abc=-3");
        assertThat(parts.headers().first("x-amz-checksum-type")).contains("COMPOSITE");
        for (var not : List.of(
                asked(Optional.of(new ByteRange.FromTo(1, 5)), Optional.empty(), true),
                asked(Optional.empty(), Optional.of(1), true))) {
            assertThat(answerTo(PARTS, not).headers().toString()).doesNotContain("checksum");
        }
    }

    @Test
    void overridesReplaceAndAdd() {
        var overrides = new TreeMap<>(Map.of("Content-Type", "text/plain", "Content-Disposition", "attachment"));
        var answer = answerTo(PLAIN, asked(Optional.empty(), Optional.empty(), false, Conditions.NONE, overrides));
        assertThat(answer.headers().all("Content-Type")).containsExactly("text/plain");
        assertThat(answer.headers().all("Content-Disposition")).containsExactly("attachment");
        assertThat(answer.headers().all("Cache-Control")).containsExactly("no-cache");
        var bare = new Known(1, "e", MODIFIED, Map.of(), new TreeMap<>(), new TreeMap<>(), Optional.empty());
        assertThat(whole(bare).headers().all("Content-Type")).containsExactly("binary/octet-stream");
    }

    @Test
    void conditions() {
        enum Outcome {
            SERVED,
            NOT_MODIFIED,
            FAILED
        }
        record Case(Optional<String> match, Optional<String> noneMatch, int since, int unmodified, Outcome outcome) {}
        var none = Optional.<String>empty();
        var same = Optional.of("\"e1\"");
        var other = Optional.of("\"e2\"");
        // since and unmodified: -1 an hour before the object's time, 0 its very second, 1 an hour after, 9 not asked
        for (var each : List.of(
                new Case(same, none, 9, 9, Outcome.SERVED),
                new Case(other, none, 9, 9, Outcome.FAILED),
                new Case(Optional.of("\"e2\", \"e1\""), none, 9, 9, Outcome.SERVED),
                new Case(Optional.of("*"), none, 9, 9, Outcome.SERVED),
                new Case(same, none, 9, -1, Outcome.SERVED),
                new Case(none, none, 9, -1, Outcome.FAILED),
                new Case(none, none, 9, 0, Outcome.SERVED),
                new Case(none, none, 9, 1, Outcome.SERVED),
                new Case(none, same, 9, 9, Outcome.NOT_MODIFIED),
                new Case(none, Optional.of("W/\"e1\""), 9, 9, Outcome.NOT_MODIFIED),
                new Case(none, Optional.of("*"), 9, 9, Outcome.NOT_MODIFIED),
                new Case(none, other, 9, 9, Outcome.SERVED),
                new Case(none, other, 1, 9, Outcome.SERVED),
                new Case(none, none, -1, 9, Outcome.SERVED),
                new Case(none, none, 0, 9, Outcome.NOT_MODIFIED),
                new Case(none, none, 1, 9, Outcome.NOT_MODIFIED),
                new Case(other, same, 9, 9, Outcome.FAILED))) {
            var conditions = new Conditions(each.match, each.noneMatch, time(each.since), time(each.unmodified));
            var asked = asked(Optional.empty(), Optional.empty(), false, conditions, new TreeMap<>());
            Outcome outcome;
            try {
                answerTo(PLAIN, asked);
                outcome = Outcome.SERVED;
            } catch (StoreException.NotModified _) {
                outcome = Outcome.NOT_MODIFIED;
            } catch (StoreException.PreconditionFailed _) {
                outcome = Outcome.FAILED;
            }
            assertThat(outcome).as("%s", each).isEqualTo(each.outcome);
        }
    }

    @Test
    void ifRangeWantsTheRangeOfThatVeryObject() {
        for (var same : List.of(IfRange.ofTag("\"e1\""), IfRange.ofDate(MODIFIED.truncatedTo(ChronoUnit.SECONDS)))) {
            assertThat(ranged(same).status()).as("%s", same).isEqualTo(206);
        }
        for (var other : List.of(
                IfRange.ofTag("\"e2\""),
                IfRange.ofTag("W/\"e1\""),
                IfRange.ofDate(MODIFIED.plusSeconds(1)),
                IfRange.ofDate(MODIFIED.minusSeconds(1)))) {
            assertThat(ranged(other).status()).as("%s", other).isEqualTo(200);
            assertThat(ranged(other).length()).isEqualTo(PLAIN.size());
        }
    }

    private static ObjectAnswer ranged(IfRange ifRange) {
        var conditions = new Conditions(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(ifRange));
        var range = Optional.<ByteRange>of(new ByteRange.FromTo(1, 1));
        return answerTo(PLAIN, asked(range, Optional.empty(), false, conditions, new TreeMap<>()));
    }

    @Test
    void notModifiedSaysWhatCachesGoBy() {
        var conditions = new Conditions(
                Optional.empty(), Optional.of("e1"), Optional.empty(), Optional.of(MODIFIED.plusSeconds(1)));
        var overrides = new TreeMap<>(Map.of("Expires", "0", "Content-Type", "text/plain"));
        var same = catchThrowableOfType(
                StoreException.NotModified.class,
                () -> answerTo(PLAIN, asked(Optional.empty(), Optional.empty(), false, conditions, overrides)));
        assertThat(same.etag()).isEqualTo("e1");
        assertThat(same.modified()).isEqualTo(MODIFIED);
        assertThat(same.caching()).isEqualTo(Map.of("Cache-Control", "no-cache", "Expires", "0"));
    }

    @Test
    void metadataBeyondAsciiIsReturnedInWordsUnlessTheCloudReturnedIt() {
        var object = new Known(
                1,
                "e1",
                MODIFIED,
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(Map.of("a", "caf\u00E9")),
                Optional.empty());
        assertThat(whole(object).headers().first("x-amz-meta-a")).contains("=?UTF-8?Q?caf=C3=A9?=");
        var cached = new Asked(
                Optional.empty(),
                Conditions.NONE,
                Optional.empty(),
                false,
                new TreeMap<>(),
                true,
                Optional.empty(),
                Optional.empty(),
                false,
                ExpiryDates.Telling.NOTHING);
        assertThat(answerTo(object, cached).headers().first("x-amz-meta-a")).contains("caf\u00E9");
    }

    private static Optional<Instant> time(int relative) {
        return relative == 9
                ? Optional.empty()
                : Optional.of(Instant.parse("2026-02-03T04:05:06Z").plusSeconds(3600L * relative));
    }

    private static ObjectAnswer answerTo(ObjectAnswer.Known object, Asked asked) {
        return ObjectAnswer.of(object, asked, CacheResult.HIT);
    }
}
