package dev.sluice.cli.command.object;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.Amounts;
import java.util.Locale;

/// What a bucket takes, for people.
final class UsageText {
    private UsageText() {}

    /// @param usage as `/v1/usage` tells it
    /// @param counted what there are so many of
    static String of(JsonNode usage, String counted) {
        long bytes = usage.path("bytes").asLong();
        long uploading = usage.path("uploading").asLong();
        var text = new StringBuilder("takes %s in %d %s"
                .formatted(Amounts.bytes(bytes), usage.path("objects").asLong(), counted));
        if (uploading > 0) {
            text.append(", and %s in unfinished uploads".formatted(Amounts.bytes(uploading)));
        }
        if (usage.hasNonNull("quota")) {
            long quota = usage.path("quota").asLong();
            text.append(", %d %% of its quota of %s"
                    .formatted((long) (100.0 * (bytes + uploading) / quota), Amounts.bytes(quota)));
        }
        if (usage.hasNonNull("expiry")) {
            text.append(expiry(usage.path("expiry"), usage.path("targets")));
        }
        usage.path("reads").properties().forEach(span -> text.append(text(span.getKey(), span.getValue())));
        long unchecked = usage.path("unchecked").asLong();
        if (unchecked > 0) {
            text.append(("%n%d requests were served what is cached though it was time to compare it (revalidate):"
                            + " the cloud did not answer")
                    .formatted(unchecked));
        }
        usage.path("cloud")
                .path("targets")
                .forEach(failed -> text.append("%n%s cannot use the cloud: %s"
                        .formatted(
                                failed.path("target").asText(),
                                failed.path("failure").asText())));
        if (usage.path("cloud").hasNonNull("next")) {
            text.append("%nnext: %s".formatted(usage.path("cloud").path("next").asText()));
        }
        return text.toString();
    }

    private static String expiry(JsonNode expiry, JsonNode targets) {
        long failed = expiry.path("failed").asLong();
        var text = new StringBuilder("%nexpiry: last pass %s, %d objects deleted, %d wait for their time%s"
                .formatted(
                        expiry.hasNonNull("last_pass")
                                ? expiry.path("last_pass").asText()
                                : "not yet",
                        expiry.path("deleted").asLong(),
                        expiry.path("waiting").asLong(),
                        failed > 0 ? ", %d could not be deleted and are tried again".formatted(failed) : ""));
        targets.forEach(target -> {
            var problem = target.path("expiry").path("problem").asText("");
            if (!problem.isEmpty()) {
                text.append("%n%s deletes no expired objects: %s"
                        .formatted(target.path("target").asText(), problem));
            }
        });
        return text.toString();
    }

    private static String text(String span, JsonNode reads) {
        var ratio = reads.hasNonNull("hit_ratio")
                ? String.format(
                        Locale.ROOT,
                        ", hit ratio %.1f %%",
                        100 * reads.path("hit_ratio").asDouble())
                : "";
        return "%nlast %-6s  %d hits, %d misses%s, %s from the cloud"
                .formatted(
                        span,
                        reads.path("hits").asLong(),
                        reads.path("misses").asLong(),
                        ratio,
                        Amounts.bytes(reads.path("cloud_bytes").asLong()));
    }
}
