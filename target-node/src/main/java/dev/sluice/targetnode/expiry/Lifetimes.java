package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketRules;
import dev.sluice.common.s3.config.LifecycleRule;
import dev.sluice.common.s3.config.LifecycleRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// When the objects of a bucket expire: by its lifecycle rules, and by its property `expire_after`.
///
/// @param day how long a day of the rules is
record Lifetimes(LifecycleRules rules, Optional<Duration> expireAfter, Duration day) {
    /// As rules are named in `x-amz-expiration`.
    private static final String PROPERTY = "expire_after";

    static Lifetimes of(Bucket bucket, BucketRules rules, Duration day) {
        return new Lifetimes(rules.lifecycle(), bucket.properties().expireAfter(), day);
    }

    private List<LifecycleRule> expiring() {
        return rules.rules().stream()
                .filter(rule -> rule.enabled() && rule.expiry().isPresent())
                .toList();
    }

    /// What all keys that may expire begin with.
    String prefix() {
        if (expireAfter.isPresent()) {
            return "";
        }
        return expiring().stream()
                .map(rule -> rule.filter().prefix())
                .reduce(Lifetimes::common)
                .orElse("");
    }

    private static String common(String one, String other) {
        int length = 0;
        while (length < Math.min(one.length(), other.length()) && one.charAt(length) == other.charAt(length)) {
            length++;
        }
        boolean halved = length > 0 && Character.isHighSurrogate(one.charAt(length - 1));
        return one.substring(0, halved ? length - 1 : length);
    }

    /// Whether an object's tags can decide.
    boolean needTags() {
        return rules.needsTags();
    }

    /// Whether an object may have ended by then, whatever its tags are.
    boolean mayHaveEnded(String key, long size, Instant modified, Instant now) {
        return expireAfter.map(life -> !modified.plus(life).isAfter(now)).orElse(false)
                || expiring().stream()
                        .filter(rule ->
                                rule.filter().matches(key, size, rule.filter().tags()))
                        .flatMap(rule -> rule.expiry().stream())
                        .anyMatch(expiry -> !expiry.of(modified, day).isAfter(now));
    }

    /// The first end of those that are in force; empty for an object that stays.
    Optional<LifecycleRules.Expiration> of(String key, long size, Map<String, String> tags, Instant modified) {
        var byRule = rules.expiry(key, size, tags, modified, day);
        var byProperty = expireAfter.map(life -> new LifecycleRules.Expiration(PROPERTY, modified.plus(life)));
        if (byRule.isPresent() && byProperty.isPresent()) {
            return byProperty.get().at().isBefore(byRule.get().at()) ? byProperty : byRule;
        }
        return byRule.or(() -> byProperty);
    }
}
