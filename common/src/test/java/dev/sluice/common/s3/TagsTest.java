package dev.sluice.common.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TagsTest {
    private static final String LEGAL = "abcXYZ019 _.:/=+-@\u00e4\u6f22";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1 | {a=1}",
                "a=1&b=2 | {a=1, b=2}",
                "b=2&a=1 | {b=2, a=1}",
                "a | {a=}",
                "a= | {a=}",
                "a=1&&b=2& | {a=1, b=2}",
                "a%20b=c+d | {a b=c d}",
                "a=1%3D2 | {a=1=2}",
                "a=1=2 | {a=1=2}",
                "%C3%A4=%E6%BC%A2 | {\u00e4=\u6f22}",
                "'' | {}",
            })
    void headerIsRead(String header, String tags) {
        assertThat(Tags.ofHeader(header).values()).hasToString(tags);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "=1 | InvalidTag",
                "a=1&a=2 | InvalidTag",
                "a=1&a=1 | InvalidTag",
                "a%21=1 | InvalidTag",
                "a=%3F | InvalidTag",
                "a=%0A | InvalidTag",
                "aws:a=1 | InvalidTag",
                "a=%GG | InvalidArgument",
                "a=% | InvalidArgument",
                "a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11 | BadRequest",
            })
    void whatIsNoHeaderOfTagsIsRefused(String header, String code) {
        assertThatThrownBy(() -> Tags.ofHeader(header))
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(code));
    }

    @Test
    void lengthsAreCountedInCharacters() {
        var longest = Tags.ofHeader("%C3%A4".repeat(128) + "=" + "%C3%A4".repeat(256));
        assertThat(longest.values()).containsEntry("\u00e4".repeat(128), "\u00e4".repeat(256));
        assertThatThrownBy(() -> Tags.ofHeader("a".repeat(129) + "=")).isInstanceOf(S3Failure.class);
        assertThatThrownBy(() -> Tags.ofHeader("a=" + "b".repeat(257))).isInstanceOf(S3Failure.class);
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        var random = new Random(47);
        for (int i = 0; i < 1000; i++) {
            var tags = new TreeMap<String, String>();
            for (int count = random.nextInt(11); tags.size() < count; ) {
                tags.put(text(random, 1 + random.nextInt(10)), text(random, random.nextInt(10)));
            }
            var header = new Tags(tags).header();
            assertThat(Tags.ofHeader(header).values()).isEqualTo(tags);
            assertThat(header).matches("[ -~]*");
            if (!tags.isEmpty()) {
                assertThat(Tags.count(header)).isEqualTo(Integer.toString(tags.size()));
            }
        }
    }

    private static String text(Random random, int length) {
        return IntStream.range(0, length)
                .mapToObj(_ -> String.valueOf(LEGAL.charAt(random.nextInt(LEGAL.length()))))
                .collect(Collectors.joining());
    }

    @Test
    void headersWithTagsAreToldTheirNumberOnly() {
        var headers = new TreeMap<>(Map.of("Content-Type", "a/b", Tags.HEADER, "a=1&b=2"));
        assertThat(Tags.counted(headers)).isEqualTo(Map.of("Content-Type", "a/b", Tags.COUNT_HEADER, "2"));
        assertThat(Tags.with(headers, "c=3")).isEqualTo(Map.of("Content-Type", "a/b", Tags.HEADER, "c=3"));
        assertThat(Tags.with(headers, "")).isEqualTo(Map.of("Content-Type", "a/b"));
        assertThat(Tags.among(headers).values()).hasToString("{a=1, b=2}");
    }
}
