package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.ClusterCommand;
import dev.sluice.cli.command.ClusterOptions;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What commands about a job of the targets share: which target is meant, how an answer is shown, and the wait for
/// the end.
abstract class JobCommand extends ClusterCommand {
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    @Mixin
    private final ClusterOptions cluster = new ClusterOptions();

    @Option(names = "--target", paramLabel = "ID", description = "Only this target.")
    private @Nullable String target;

    private final boolean terminal = Terminal.showsErrors();

    JobCommand(Installation installation) {
        super(installation);
    }

    @Override
    public ClusterOptions cluster() {
        return cluster;
    }

    Optional<String> target() {
        return Optional.ofNullable(target);
    }

    /// Asks how the job stands: an array with an object for each target.
    abstract JsonNode look();

    abstract boolean isUnderWay(JsonNode answer);

    /// In one line.
    abstract String progress(JsonNode answer);

    abstract void showTable(JsonNode answer);

    /// Whether the job found nothing that somebody must look after.
    abstract boolean isClean(JsonNode answer);

    /// A line of progress, on a terminal only.
    JsonNode awaitEnd(JsonNode first) throws InterruptedException {
        var answer = first;
        while (isUnderWay(answer)) {
            if (terminal) {
                err().printf("\r%s\u001b[K", progress(answer));
                err().flush();
            }
            Thread.sleep(LOOK_EVERY);
            answer = look();
        }
        if (terminal) {
            err().print("\r\u001b[K");
            err().flush();
        }
        return answer;
    }

    /// @return 1 when a target does not answer
    int show(JsonNode answer) {
        if (json()) {
            out().println(answer.toPrettyString());
        } else {
            showTable(answer);
        }
        out().flush();
        int silent = 0;
        for (var each : answer) {
            if (each.path("error").isTextual()) {
                err().println("sluice: " + each.path("error").asText());
                silent = 1;
            }
        }
        err().flush();
        return silent;
    }

    /// @return 1 also when it is not clean
    int judge(JsonNode answer) {
        int shown = show(answer);
        return isClean(answer) ? shown : 1;
    }

    void more(String target, long number) {
        if (number > 0) {
            out().printf("%s and %d more%n", target, number);
        }
    }

    static boolean isWorking(JsonNode at) {
        var state = at.path("state").asText();
        return state.equals("running") || state.equals("waiting");
    }

    static String state(JsonNode at, String why) {
        var state = at.path("state").asText();
        return at.path(why).isTextual() ? state + ": " + at.path(why).asText() : state;
    }

    static String left(JsonNode at) {
        return at.path("seconds_left").isNumber() ? time(at.path("seconds_left").asLong()) : "-";
    }

    static String time(long seconds) {
        return Duration.ofSeconds(seconds).toString().substring(2).toLowerCase(Locale.ROOT);
    }

    static String finished(JsonNode at) {
        long millis = at.path("finished_millis").asLong();
        return millis == 0
                ? "never"
                : Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
