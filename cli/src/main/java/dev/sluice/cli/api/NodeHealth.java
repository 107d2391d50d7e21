package dev.sluice.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.common.peer.ControllerHealth;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a node says of itself.
///
/// @param version of what it runs
/// @param reason why it does not serve; empty when it does
/// @param ahead by how much its clock is ahead of this machine's, give or take a second; empty when it does not answer
/// @param drives those that do not serve
/// @param controller empty where it is none
public record NodeHealth(
        NativeApi.Health state,
        String version,
        String reason,
        Optional<Duration> ahead,
        List<Drive> drives,
        Optional<ControllerHealth> controller) {
    private static final JsonMapper JSON = new JsonMapper();

    /// A target's drive.
    ///
    /// @param path empty when another drive took its place
    public record Drive(
            String path,
            String id,
            long weight,
            boolean leaving,
            String state,
            String reason,
            Instant since,
            long errors) {
        /// Whether it is as it is to be: it serves, or an operator does not want it to.
        public boolean isWanted() {
            return state.equals("online") || state.equals("disabled");
        }

        public String text() {
            return "%s is %s since %s%s"
                    .formatted(
                            path.isEmpty() ? id : path,
                            state,
                            since.truncatedTo(ChronoUnit.SECONDS),
                            reason.isEmpty() ? "" : ": " + reason);
        }
    }

    static NodeHealth of(NativeApi.Health state, Optional<Duration> ahead, @Nullable InputStream answer)
            throws IOException {
        if (answer == null) {
            return without(state);
        }
        try (answer) {
            var json = JSON.readTree(answer);
            return new NodeHealth(
                    state,
                    json.path("version").asText("an earlier one"),
                    json.path("reason").asText(),
                    ahead,
                    drives(json),
                    controller(json.path("controller")));
        }
    }

    /// It said nothing.
    static NodeHealth without(NativeApi.Health state) {
        return new NodeHealth(state, "", "", Optional.empty(), List.of(), Optional.empty());
    }

    private static Optional<ControllerHealth> controller(JsonNode answer) {
        return answer.isMissingNode()
                ? Optional.empty()
                : Optional.of(new ControllerHealth(
                        answer.path("leads").asBoolean(),
                        answer.path("leader").asText(),
                        answer.path("reason").asText()));
    }

    static List<Drive> drives(JsonNode answer) {
        var drives = new ArrayList<Drive>();
        for (var drive : answer.path("drives")) {
            drives.add(new Drive(
                    drive.path("path").asText(),
                    drive.path("id").asText(),
                    drive.path("weight").asLong(),
                    drive.path("leaving").asBoolean(),
                    drive.path("state").asText(),
                    drive.path("reason").asText(),
                    Instant.ofEpochMilli(drive.path("since").asLong()),
                    drive.path("errors").asLong()));
        }
        return drives;
    }
}
