package dev.sluice.cli.process;

import dev.sluice.cli.failure.CommandFailure;
import java.time.Duration;
import java.util.Map;

/// How long a node may take from its start until it is ready: 90 s, or as many as `$SLUICE_START_SECONDS` says.
///
/// @param ofCommand that waits for nodes which it started
public record StartLimit(Duration ofCommand) {
    private static final String VARIABLE = "SLUICE_START_SECONDS";
    private static final Duration USUAL = Duration.ofSeconds(90);

    public static StartLimit of(Map<String, String> environment) {
        var given = environment.getOrDefault(VARIABLE, "").strip();
        if (given.isEmpty()) {
            return new StartLimit(USUAL);
        }
        if (!given.matches("[1-9][0-9]{0,5}")) {
            throw CommandFailure.refused("%s is a number of seconds, not '%s'".formatted(VARIABLE, given));
        }
        return new StartLimit(Duration.ofSeconds(Integer.parseInt(given)));
    }

    /// Shorter: the process says why it was late before the command ends it.
    public Duration ofProcess() {
        return ofCommand.multipliedBy(8).dividedBy(9);
    }
}
