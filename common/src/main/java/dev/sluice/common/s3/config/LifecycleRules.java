package dev.sluice.common.s3.config;

import dev.sluice.common.s3.S3Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A bucket's LifecycleConfiguration. Where several rules are about one object, the one that ends it first holds.
public record LifecycleRules(List<LifecycleRule> rules) {
    /// Of a bucket without a configuration: nothing expires.
    public static final LifecycleRules NONE = new LifecycleRules(List.of());

    /// @param rule its ID
    public record Expiration(String rule, Instant at) {}

    public LifecycleRules {
        rules = List.copyOf(rules);
    }

    /// Rules without an ID get one that follows from what they say.
    ///
    /// @throws S3Failure when S3 would refuse the document, or it has rules that are not served here
    public static LifecycleRules parse(byte[] xml) {
        return new LifecycleRules(LifecycleReader.read(xml));
    }

    /// The document that says the same, as S3 writes it: parsed, it gives equal rules.
    public String xml() {
        return LifecycleWriter.document(rules);
    }

    /// When an object expires, and by which rule; the first one of several at the same time.
    ///
    /// @param tags may be empty unless the rules need them, see [#needsTags()]
    /// @param day how long a day of the rules is, see [Expiry]
    public Optional<Expiration> expiry(
            String key, long size, Map<String, String> tags, Instant modified, Duration day) {
        return enabled()
                .filter(rule -> rule.filter().matches(key, size, tags))
                .flatMap(rule ->
                        rule.expiry().stream().map(expiry -> new Expiration(rule.id(), expiry.of(modified, day))))
                .min(Comparator.comparing(Expiration::at));
    }

    /// How long after its start an upload of this key is aborted.
    ///
    /// @param day how long a day of the rules is
    public Optional<Duration> abortAfter(String key, Duration day) {
        return enabled()
                .filter(rule -> key.startsWith(rule.filter().prefix()))
                .flatMap(rule -> rule.abortDays().stream())
                .min(Comparator.naturalOrder())
                .map(day::multipliedBy);
    }

    /// Whether any object expires.
    public boolean expires() {
        return enabled().anyMatch(rule -> rule.expiry().isPresent());
    }

    /// Whether an object's tags can decide when it expires.
    public boolean needsTags() {
        return enabled().anyMatch(rule -> !rule.filter().tags().isEmpty());
    }

    private Stream<LifecycleRule> enabled() {
        return rules.stream().filter(LifecycleRule::enabled);
    }
}
