package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.proxy.gateway.TargetFanout;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// `/v1/scrub`: passes an operator's word to the targets that are meant, all at once, and shows how their drives stand.
public final class ScrubApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> VALUES = List.of("target", "drive", "rate");

    private final TargetFanout targets;

    public ScrubApi(TargetFanout targets) {
        this.targets = targets;
    }

    public JsonNode status(QueryParameters query) {
        return ask(
                query.find("target"),
                new ScrubCommand(ScrubCommand.Action.STATUS, query.find("drive"), Optional.empty()));
    }

    /// @param message `{"action": "start-scrub" or "stop-scrub", "value": {"target", "drive", "rate"}}`, all optional
    JsonNode act(JsonNode message) throws IOException {
        var action = switch (message.path("action").asText()) {
            case "start-scrub" -> ScrubCommand.Action.START;
            case "stop-scrub" -> ScrubCommand.Action.STOP;
            default -> throw new IOException("expected a body {\"action\": \"start-scrub\" or \"stop-scrub\", …}");
        };
        var value = message.path("value");
        for (var field : value.properties()) {
            if (!VALUES.contains(field.getKey())) {
                throw new IOException("unknown value '%s'; known are %s".formatted(field.getKey(), VALUES));
            }
        }
        return ask(text(value, "target"), new ScrubCommand(action, text(value, "drive"), rate(value)));
    }

    private static Optional<String> text(JsonNode value, String name) {
        return Optional.of(value.path(name)).filter(JsonNode::isTextual).map(JsonNode::textValue);
    }

    private static Optional<Long> rate(JsonNode value) throws IOException {
        var rate = value.path("rate");
        if (rate.isMissingNode() || rate.isNull()) {
            return Optional.empty();
        }
        if (!rate.isIntegralNumber() || rate.longValue() < 0 || rate.longValue() > Integer.MAX_VALUE) {
            throw new IOException("'rate' is a number of MiB a second, 0 for no limit");
        }
        return Optional.of(rate.longValue());
    }

    private JsonNode ask(Optional<String> target, ScrubCommand command) {
        var answers = targets.ask(target, each -> {
            try {
                var answer = JSON.createObjectNode();
                var drives = answer.putArray("drives");
                each.scrub(command).forEach(drive -> drives.add(show(drive)));
                return Optional.of(answer);
            } catch (StoreException.InvalidArgument _) {
                return Optional.empty(); // it has no such drive
            }
        });
        if (answers.isEmpty()) {
            throw new StoreException.InvalidArgument(
                    "There is no drive %s".formatted(command.drive().orElse("")));
        }
        return answers;
    }

    private static ObjectNode show(DriveScrub drive) {
        var shown = JSON.createObjectNode()
                .put("drive", drive.drive())
                .put("path", drive.path())
                .put("state", TargetFanout.lower(drive.state()))
                .put("trouble", drive.trouble().orElse(null))
                .put("objects", drive.objects())
                .put("objects_all", drive.objectsAll())
                .put("bytes", drive.bytes())
                .put("bytes_all", drive.bytesAll())
                .put("bytes_per_second", drive.bytesPerSecond())
                .put("seconds_left", drive.secondsLeft().orElse(null))
                .put("begun_millis", drive.begunMillis())
                .put("finished_millis", drive.finishedMillis())
                .put("next_millis", drive.nextMillis().orElse(null))
                .put("findings", drive.findings());
        var latest = shown.putArray("latest");
        drive.latest().forEach(finding -> latest.add(show(finding)));
        return shown;
    }

    private static ObjectNode show(ScrubFinding finding) {
        return JSON.createObjectNode()
                .put("kind", TargetFanout.lower(finding.kind()))
                .put("action", TargetFanout.lower(finding.action()))
                .put("bucket", finding.bucket())
                .put("key", finding.key())
                .put("path", finding.path())
                .put("why", finding.why())
                .put("found_millis", finding.foundMillis());
    }
}
