package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.peer.ResilverCommand;
import dev.sluice.common.peer.ResilverFailure;
import dev.sluice.common.peer.ResilverStatus;
import dev.sluice.proxy.gateway.TargetFanout;
import java.io.IOException;
import java.util.Optional;

/// `/v1/resilver`: passes an operator's word to the targets that are meant, and shows how their resilvers stand.
public final class ResilverApi {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TargetFanout targets;

    public ResilverApi(TargetFanout targets) {
        this.targets = targets;
    }

    public JsonNode status(QueryParameters query) {
        return ask(query.find("target"), ResilverCommand.STATUS);
    }

    /// @param message `{"action": "start-resilver" or "stop-resilver", "value": {"target"}}`, the value optional
    JsonNode act(JsonNode message) throws IOException {
        var command = switch (message.path("action").asText()) {
            case "start-resilver" -> ResilverCommand.START;
            case "stop-resilver" -> ResilverCommand.STOP;
            default ->
                throw new IOException("expected a body {\"action\": \"start-resilver\" or \"stop-resilver\", …}");
        };
        for (var field : message.path("value").properties()) {
            if (!field.getKey().equals("target")) {
                throw new IOException("unknown value '%s'; known is [target]".formatted(field.getKey()));
            }
        }
        var target = message.path("value").path("target");
        return ask(Optional.of(target).filter(JsonNode::isTextual).map(JsonNode::textValue), command);
    }

    private JsonNode ask(Optional<String> target, ResilverCommand command) {
        return targets.ask(target, each -> Optional.of(show(each.resilver(command))));
    }

    private static ObjectNode show(ResilverStatus status) {
        var shown = JSON.createObjectNode()
                .put("state", TargetFanout.lower(status.state()))
                .put("settled", status.settled())
                .put("reason", status.reason().orElse(null))
                .put("objects", status.keys())
                .put("objects_all", status.keysAll())
                .put("moved_objects", status.movedObjects())
                .put("moved_bytes", status.movedBytes())
                .put("bytes_per_second", status.bytesPerSecond())
                .put("seconds_left", status.secondsLeft().orElse(null))
                .put("begun_millis", status.begunMillis())
                .put("finished_millis", status.finishedMillis())
                .put("failures", status.failures());
        var latest = shown.putArray("latest");
        status.latest().forEach(failure -> latest.add(show(failure)));
        return shown;
    }

    private static ObjectNode show(ResilverFailure failure) {
        return JSON.createObjectNode()
                .put("bucket", failure.bucket())
                .put("key", failure.key())
                .put("why", failure.why())
                .put("failed_millis", failure.failedMillis());
    }
}
