package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WildcardTest {
    @ParameterizedTest
    @CsvSource({
        "'',''",
        "abc,abc",
        "*,''",
        "*,abc",
        "a*,a",
        "a*c,abbc",
        "*c,ac",
        "a?c,abc",
        "a?*,ab",
        "**a**,xax",
        "?*?,ab",
        "a**,a"
    })
    void aPatternStandsForTheTextsItDescribes(String pattern, String text) {
        assertThat(new Wildcard(pattern).matches(text)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"'',a", "abc,ab", "abc,abcd", "a*c,ab", "a?c,ac", "?,''", "a*b*c,acb", "*?,''", "a**b,a"})
    void aPatternStandsForNoOtherText(String pattern, String text) {
        assertThat(new Wildcard(pattern).matches(text)).isFalse();
    }

    @Test
    void randomPatternsMatchAsTheirDefinitionSays() {
        var random = new Random(20261123);
        for (int i = 0; i < 20_000; i++) {
            var pattern = text(random, "ab*?", random.nextInt(i % 50 == 0 ? 200 : 12));
            var text = text(random, "ab", random.nextInt(i % 50 == 0 ? 200 : 12));
            assertThat(new Wildcard(pattern).matches(text))
                    .as("%s on %s", pattern, text)
                    .isEqualTo(matches(pattern, text));
        }
    }

    /// By the definition: cell `t` of row `p` says whether the first `p` characters of the pattern stand for the first
    /// `t` of the text.
    private static boolean matches(String pattern, String text) {
        var row = new boolean[text.length() + 1];
        row[0] = true;
        for (int p = 0; p < pattern.length(); p++) {
            char expected = pattern.charAt(p);
            var next = new boolean[row.length];
            for (int t = 0; t < row.length; t++) {
                next[t] = expected == '*'
                        ? row[t] || (t > 0 && next[t - 1])
                        : t > 0 && row[t - 1] && (expected == '?' || expected == text.charAt(t - 1));
            }
            row = next;
        }
        return row[text.length()];
    }

    private static String text(Random random, String letters, int length) {
        var text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }
}
