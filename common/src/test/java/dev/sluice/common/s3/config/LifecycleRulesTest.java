package dev.sluice.common.s3.config;

import static dev.sluice.common.s3.config.Documents.abort;
import static dev.sluice.common.s3.config.Documents.expiration;
import static dev.sluice.common.s3.config.Documents.lifecycle;
import static dev.sluice.common.s3.config.Documents.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.config.LifecycleRules.Expiration;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifecycleRulesTest {
    private static final Instant NOON = Instant.parse("2026-03-10T12:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "2014-01-15T10:30:00Z,           3, 2014-01-19T00:00:00Z",
        "2026-03-10T00:00:00Z,           1, 2026-03-11T00:00:00Z",
        "2026-03-10T00:00:00.000000001Z, 1, 2026-03-12T00:00:00Z",
        "2026-03-10T23:59:59.999999999Z, 1, 2026-03-12T00:00:00Z",
        "2024-02-28T12:00:00Z,           1, 2024-03-01T00:00:00Z",
        "2026-12-31T12:00:00Z,         365, 2028-01-01T00:00:00Z",
        "1969-12-30T12:00:00Z,           1, 1970-01-01T00:00:00Z",
    })
    void daysEndAtTheNextMidnight(Instant modified, int days, Instant expires) {
        assertThat(expiry(lifecycle(rule(expiration(days))), modified, Expiry.DAY))
                .isEqualTo(expires);
    }

    @ParameterizedTest
    @CsvSource({
        "PT1S, 2026-03-10T12:00:03Z",
        "PT0.5S, 2026-03-10T12:00:01.500Z",
        "PT23H59M59S, 2026-03-13T11:59:57Z",
        "PT48H, 2026-03-16T12:00:00Z",
    })
    void daysOfAnotherLengthAreNotRounded(Duration day, Instant expires) {
        assertThat(expiry(lifecycle(rule(expiration(3))), NOON, day)).isEqualTo(expires);
    }

    @ParameterizedTest
    @CsvSource({"2020-01-01T00:00:00Z", "2026-03-10T12:00:00Z", "2030-01-01T00:00:00Z"})
    void dateHoldsWheneverAnObjectWasWritten(Instant modified) {
        var rules = lifecycle(rule("<Expiration><Date>2026-12-01</Date></Expiration>"));
        var date = Instant.parse("2026-12-01T00:00:00Z");
        assertThat(expiry(rules, modified, Expiry.DAY)).isEqualTo(date);
        assertThat(expiry(rules, modified, Duration.ofSeconds(1))).isEqualTo(date);
    }

    @Test
    void theLargestNumberOfDaysIsTheLastDayThatHttpCanName() {
        var largest = expiry(lifecycle(rule(expiration(Integer.MAX_VALUE))), NOON, Expiry.DAY);
        assertThat(largest).isEqualTo("9999-12-31T00:00:00Z");
    }

    @Test
    void earliestOfTheEnabledRulesThatMatchHolds() {
        var rules = lifecycle(rule("<ID>all</ID>" + expiration(30))
                + rule("<ID>logs</ID><Filter><Prefix>logs/</Prefix></Filter>" + expiration(7))
                + rule("<ID>off</ID><Status>Disabled</Status>" + expiration(1))
                + rule("<ID>uploads</ID>" + abort(1))
                + rule("<ID>also</ID><Filter><Prefix>logs/</Prefix></Filter>" + expiration(7))
                + rule("<ID>date</ID><Filter><Prefix>logs/old/</Prefix></Filter>"
                        + "<Expiration><Date>2026-03-01</Date></Expiration>"));
        assertThat(rules.expiry("a", 1, Map.of(), NOON, Expiry.DAY))
                .hasValue(new Expiration("all", Instant.parse("2026-04-10T00:00:00Z")));
        assertThat(rules.expiry("logs/a", 1, Map.of(), NOON, Expiry.DAY))
                .hasValue(new Expiration("logs", Instant.parse("2026-03-18T00:00:00Z")));
        assertThat(rules.expiry("logs/old/a", 1, Map.of(), NOON, Expiry.DAY))
                .hasValue(new Expiration("date", Instant.parse("2026-03-01T00:00:00Z")));
    }

    @Test
    void objectsThatNoRuleMatchesDoNotExpire() {
        var rules = lifecycle(rule("<Filter><Prefix>a/</Prefix></Filter>" + expiration(1)));
        assertThat(rules.expiry("b/", 1, Map.of(), NOON, Expiry.DAY)).isEmpty();
        assertThat(LifecycleRules.NONE.expiry("a", 1, Map.of(), NOON, Expiry.DAY))
                .isEmpty();
        assertThat(LifecycleRules.NONE.abortAfter("a", Expiry.DAY)).isEmpty();
        assertThat(LifecycleRules.NONE.needsTags()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "logs/a, 11, true",
        "logs/,  11, true",
        "logs,   11, false",
        "Logs/a, 11, false",
        "a/logs/,11, false",
        "logs/a, 10, false",
        "logs/a, 19, true",
        "logs/a, 20, false",
    })
    void filterTakesPrefixAndSizesBetweenTheLimits(String key, long size, boolean matches) {
        var filter = new LifecycleFilter("logs/", new TreeMap<>(), Optional.of(10L), Optional.of(20L));
        assertThat(filter.matches(key, size, Map.of())).isEqualTo(matches);
    }

    @Test
    void filterTakesObjectsThatHaveAllItsTags() {
        var filter =
                new LifecycleFilter("", new TreeMap<>(Map.of("a", "1", "b", "")), Optional.empty(), Optional.empty());
        assertThat(filter.matches("k", 0, Map.of("a", "1", "b", ""))).isTrue();
        assertThat(filter.matches("k", 0, Map.of("a", "1", "b", "", "c", "3"))).isTrue();
        assertThat(filter.matches("k", 0, Map.of("a", "1"))).isFalse();
        assertThat(filter.matches("k", 0, Map.of("a", "2", "b", ""))).isFalse();
        assertThat(filter.matches("k", 0, Map.of("A", "1", "b", ""))).isFalse();
        assertThat(filter.matches("k", 0, Map.of())).isFalse();
        assertThat(LifecycleFilter.ALL.matches("", 0, Map.of())).isTrue();
    }

    @Test
    void expiryTakesSizeAndTagsIntoAccount() {
        var rules = lifecycle(rule("<Filter><And><Tag><Key>k</Key><Value>v</Value></Tag>"
                + "<ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter>" + expiration(1)));
        assertThat(rules.expiry("a", 6, Map.of("k", "v"), NOON, Expiry.DAY)).isPresent();
        assertThat(rules.expiry("a", 5, Map.of("k", "v"), NOON, Expiry.DAY)).isEmpty();
        assertThat(rules.expiry("a", 6, Map.of("k", "w"), NOON, Expiry.DAY)).isEmpty();
    }

    @Test
    void shortestOfTheEnabledRulesAbortsAnUpload() {
        var rules = lifecycle(rule(abort(7))
                + rule("<Filter><Prefix>a/</Prefix></Filter>" + abort(3))
                + "<Rule><Prefix>a/b/</Prefix><Status>Enabled</Status>" + abort(2) + "</Rule>"
                + rule("<Status>Disabled</Status>" + abort(1))
                + rule(expiration(1)));
        assertThat(rules.abortAfter("x", Expiry.DAY)).hasValue(Duration.ofDays(7));
        assertThat(rules.abortAfter("a/x", Expiry.DAY)).hasValue(Duration.ofDays(3));
        assertThat(rules.abortAfter("a/b/x", Duration.ofSeconds(5))).hasValue(Duration.ofSeconds(10));
        assertThat(lifecycle(rule(expiration(1))).abortAfter("x", Expiry.DAY)).isEmpty();
    }

    @Test
    void tagsAreNeededForEnabledRulesThatHaveThem() {
        var tagged = "<Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter>" + expiration(1);
        assertThat(lifecycle(rule(expiration(1)) + rule(tagged)).needsTags()).isTrue();
        assertThat(lifecycle(rule(tagged + "<Status>Disabled</Status>")).needsTags())
                .isFalse();
        assertThat(lifecycle(rule(expiration(1))).needsTags()).isFalse();
    }

    @Test
    void valuesCannotBeChangedFromOutside() {
        var tags = new TreeMap<>(Map.of("a", "1"));
        var filter = new LifecycleFilter("", tags, Optional.empty(), Optional.empty());
        tags.clear();
        assertThat(filter.tags()).containsEntry("a", "1");
        assertThatThrownBy(() -> filter.tags().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> new Expiry.Days(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LifecycleRule("id", true, filter, Optional.empty(), Optional.of(1), true))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Instant expiry(LifecycleRules rules, Instant modified, Duration day) {
        return rules.expiry("key", 1, Map.of(), modified, day).orElseThrow().at();
    }
}
