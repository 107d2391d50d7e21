package dev.sluice.common.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameTemplateTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "shard-{000000..009999}.tar | 10000 | 0 | shard-000000.tar",
                "shard-{000000..009999}.tar | 10000 | 9999 | shard-009999.tar",
                "{8..11} | 4 | 2 | 10",
                "a{0..100..10}b | 11 | 10 | a100b",
                "a{0..99..10}b | 10 | 9 | a90b",
                "{1..2}/{01..03} | 6 | 0 | 1/01",
                "{1..2}/{01..03} | 6 | 2 | 1/03",
                "{1..2}/{01..03} | 6 | 3 | 2/01",
                "{5..5} | 1 | 0 | 5",
            })
    void rangesMakeNames(String text, long size, long index, String name) {
        var template = NameTemplate.of(text);
        assertThat(template.size()).isEqualTo(size);
        assertThat(template.name(index)).isEqualTo(name);
    }

    @Test
    void tenMillionNamesAreAllowed() {
        var template = NameTemplate.of("a/{0000000..9999999}");
        assertThat(template.size()).isEqualTo(NameTemplate.MOST_NAMES);
        assertThat(template.prefix()).isEqualTo("a/");
        assertThat(template.name(template.size() - 1)).isEqualTo("a/9999999");
    }

    /// Pages of names are in memory.
    @Test
    void namesAreNotLongerThanKeys() {
        var longest = "x".repeat(NameTemplate.LONGEST_NAME - 2);
        assertThat(NameTemplate.of(longest + "{0..99}").size()).isEqualTo(100);
        assertThatThrownBy(() -> NameTemplate.of(longest + "{0..100}")).hasMessageContaining("1024 bytes");
        assertThatThrownBy(() -> NameTemplate.of("ä".repeat(512) + "{0..9}")).hasMessageContaining("1024 bytes");
        assertThatThrownBy(() -> NameTemplate.of("x".repeat(500_000) + "{0..9}"))
                .hasMessageContaining("2048 characters");
    }

    @Test
    void allNamesDiffer() {
        var template = NameTemplate.of("{0..9}-{00..11}-{3..17..2}");
        assertThat(LongStream.range(0, template.size()).mapToObj(template::name))
                .hasSize(10 * 12 * 8)
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "{1..}",
                "{a..z}",
                "{9..1}",
                "{0..9..0}",
                "x{1..2",
                "{1..2}}",
                "{{1..2}}",
                "{0..999999999999999999}{0..999999999999999999}",
                "{0..9999999999999999999}",
                "{0..9999999}{0..1}",
            })
    void whatIsNoTemplateIsRefused(String text) {
        assertThatThrownBy(() -> NameTemplate.of(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
