package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.peer.BucketUsage;
import dev.sluice.common.peer.ExpiryStatus;
import dev.sluice.common.peer.ReadCounts;
import dev.sluice.common.peer.RecentReads;
import dev.sluice.common.peer.TargetService;
import dev.sluice.proxy.gateway.TargetFanout;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// `/v1/usage/BUCKET`: what a bucket takes, in all and on each target, what was read of a cached one lately, and what
/// expired. A target that does not answer is an `error` in its place, and not in the sum.
public final class UsageApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> SPANS = List.of("minute", "hour", "day");

    private final ClusterViews views;
    private final TargetFanout targets;
    private final CloudCheck clouds;

    public UsageApi(ClusterViews views, TargetFanout targets) {
        this.views = views;
        this.targets = targets;
        this.clouds = new CloudCheck(targets);
    }

    /// @param check whether the targets ask the cloud behind the bucket too
    JsonNode usage(Bucket bucket, boolean check) {
        var shown = JSON.createObjectNode()
                .put("bucket", bucket.name())
                .put("quota", bucket.properties().quota().orElse(null));
        var each = asked(bucket);
        for (var figure : List.of("objects", "bytes", "uploading", "reserved")) {
            shown.put(figure, sum(each, figure));
        }
        expiry(each).ifPresent(expiry -> shown.set("expiry", expiry));
        if (bucket.backed()) {
            shown.put("unchecked", sum(each, "unchecked"));
            shown.set("reads", reads(each));
        }
        if (check) {
            bucket.properties().backend().ifPresent(spec -> shown.set("cloud", clouds.ask(bucket, spec)));
        }
        shown.putArray("targets").addAll(each);
        return shown;
    }

    /// Of the targets that answer: the sums, and the pass that ended longest ago.
    private static Optional<ObjectNode> expiry(List<ObjectNode> answers) {
        var each = answers.stream()
                .map(answer -> answer.path("expiry"))
                .filter(JsonNode::isObject)
                .toList();
        if (each.isEmpty()) {
            return Optional.empty();
        }
        var shown = JSON.createObjectNode();
        for (var figure : List.of("deleted", "waiting", "failed")) {
            shown.put(
                    figure,
                    each.stream().mapToLong(one -> one.path(figure).asLong()).sum());
        }
        var last = each.stream().map(one -> one.path("last_pass").asText("")).min(Comparator.naturalOrder());
        return Optional.of(
                shown.put("last_pass", last.filter(text -> !text.isEmpty()).orElse(null)));
    }

    private static ObjectNode show(ExpiryStatus expiry) {
        var shown = JSON.createObjectNode()
                .put("deleted", expiry.deleted())
                .put("waiting", expiry.waiting())
                .put("failed", expiry.failed())
                .put("last_pass", expiry.lastMillis() == 0 ? null : text(expiry.lastMillis()));
        expiry.problem().ifPresent(why -> shown.put("problem", why));
        return shown;
    }

    private static String text(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static long sum(List<ObjectNode> answers, String figure) {
        return answers.stream()
                .mapToLong(answer -> answer.path(figure).asLong())
                .sum();
    }

    /// Summed over the targets that answer.
    private static ObjectNode reads(List<ObjectNode> answers) {
        var shown = JSON.createObjectNode();
        for (var span : SPANS) {
            var counts = answers.stream()
                    .map(answer -> counts(answer.path("reads").path(span)))
                    .reduce(ReadCounts.NONE, ReadCounts::plus);
            shown.set(span, show(counts));
        }
        return shown;
    }

    private static ReadCounts counts(JsonNode shown) {
        return new ReadCounts(
                shown.path("hits").asLong(),
                shown.path("misses").asLong(),
                shown.path("bytes").asLong(),
                shown.path("cloud_bytes").asLong());
    }

    private List<ObjectNode> asked(Bucket bucket) {
        var answers = new ArrayList<ObjectNode>();
        targets.answers(target -> asked(target, bucket)).forEach((id, answer) -> {
            var shown = JSON.createObjectNode().put("target", id);
            answer.ifPresent(shown::setAll);
            answers.add(shown);
        });
        return answers;
    }

    private Optional<ObjectNode> asked(TargetService target, Bucket bucket) {
        var shown =
                target.usage(List.of(bucket.id())).stream().map(UsageApi::show).findFirst();
        if (bucket.backed()) {
            shown.ifPresent(answer -> {
                var recent = target.reads(bucket.id());
                answer.put("unchecked", recent.unchecked());
                answer.set("reads", show(recent));
            });
        }
        if (views.current().rules(bucket).letExpire(bucket)) {
            shown.ifPresent(answer -> answer.set("expiry", show(target.expiry(bucket.id()))));
        }
        return shown;
    }

    private static ObjectNode show(RecentReads recent) {
        var shown = JSON.createObjectNode();
        shown.set("minute", show(recent.minute()));
        shown.set("hour", show(recent.hour()));
        shown.set("day", show(recent.day()));
        return shown;
    }

    private static ObjectNode show(ReadCounts counts) {
        long gets = counts.hits() + counts.misses();
        var shown = JSON.createObjectNode()
                .put("hits", counts.hits())
                .put("misses", counts.misses())
                .put("bytes", counts.bytes())
                .put("cloud_bytes", counts.cloudBytes());
        return gets == 0 ? shown.putNull("hit_ratio") : shown.put("hit_ratio", (double) counts.hits() / gets);
    }

    private static ObjectNode show(BucketUsage usage) {
        return JSON.createObjectNode()
                .put("objects", usage.objects())
                .put("bytes", usage.bytes())
                .put("uploading", usage.uploading())
                .put("reserved", usage.reserved());
    }
}
