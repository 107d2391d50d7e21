package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.http.HttpDate;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.config.LifecycleRules;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// What answers say of the time when an object expires. Whether it is there is not judged by that: it is readable until
/// it is deleted.
public final class ExpiryDates {
    public static final String HEADER = "x-amz-expiration";

    private final ClusterViews views;
    private final Duration day;

    public ExpiryDates(ClusterViews views, ExpirySettings settings) {
        this.views = views;
        this.day = settings.day();
    }

    /// Of one object.
    public interface Telling {
        Telling NOTHING = (_, _, _) -> Optional.empty();

        /// @param headers that the object keeps, with its tags
        /// @return the header's value; empty for an object that does not expire
        Optional<String> of(long size, Instant modified, Map<String, String> headers);
    }

    /// Never blocks; for every read and write.
    public Telling of(Bucket bucket, String key) {
        var rules = views.current().rules(bucket).lifecycle();
        if (rules.rules().isEmpty() && bucket.properties().expireAfter().isEmpty()) {
            return Telling.NOTHING;
        }
        var lifetimes = new Lifetimes(rules, bucket.properties().expireAfter(), day);
        return (size, modified, headers) ->
                lifetimes.of(key, size, Tags.among(headers).values(), modified).map(ExpiryDates::header);
    }

    private static String header(LifecycleRules.Expiration expiration) {
        return "expiry-date=\"%s\", rule-id=\"%s\""
                .formatted(
                        HttpDate.format(expiration.at()),
                        URLEncoder.encode(expiration.rule(), StandardCharsets.UTF_8)
                                .replace("+", "%20"));
    }
}
