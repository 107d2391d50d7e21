package dev.sluice.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.BucketUsage;
import java.util.ArrayList;
import java.util.List;

/// `/v1/usage/BUCKET`: what a bucket takes, in all and on each target. A target that does not answer is an `error` in
/// its place, and not in the sum.
final class UsageApi {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TargetFanout targets;

    UsageApi(TargetFanout targets) {
        this.targets = targets;
    }

    JsonNode usage(Bucket bucket) {
        var shown = JSON.createObjectNode()
                .put("bucket", bucket.name())
                .put("quota", bucket.properties().quota().orElse(null));
        var each = asked(bucket);
        for (var figure : List.of("objects", "bytes", "uploading", "reserved")) {
            shown.put(
                    figure,
                    each.stream()
                            .mapToLong(answer -> answer.path(figure).asLong())
                            .sum());
        }
        shown.putArray("targets").addAll(each);
        return shown;
    }

    private List<ObjectNode> asked(Bucket bucket) {
        var answers = new ArrayList<ObjectNode>();
        targets.answers(target -> target.usage(List.of(bucket.id())).stream()
                        .map(UsageApi::show)
                        .findFirst())
                .forEach((id, answer) -> {
                    var shown = JSON.createObjectNode().put("target", id);
                    answer.ifPresent(shown::setAll);
                    answers.add(shown);
                });
        return answers;
    }

    private static ObjectNode show(BucketUsage usage) {
        return JSON.createObjectNode()
                .put("objects", usage.objects())
                .put("bytes", usage.bytes())
                .put("uploading", usage.uploading())
                .put("reserved", usage.reserved());
    }
}
