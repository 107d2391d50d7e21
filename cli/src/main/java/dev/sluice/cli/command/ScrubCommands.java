package dev.sluice.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.api.NativeApi;
import java.io.Console;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `sluice scrub start|status|stop`.
final class ScrubCommands {
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private ScrubCommands() {}

    @Command(
            name = "start",
            description = "Reads drives now and compares them with what is known of them, or goes on after a stop.")
    static final class Start extends OnDrives {
        @Option(
                names = "--rate",
                paramLabel = "MIB",
                defaultValue = "0",
                description = "MiB a second of each drive (default: as fast as it gives).")
        private long rate;

        @Option(names = "--wait", description = "Wait for the end and show how far it is.")
        private boolean wait;

        Start(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws InterruptedException {
            if (rate < 0) {
                throw CommandFailure.refused("--rate must be 0 or more");
            }
            var answer = nativeApi().scrub("start-scrub", which(), Optional.of(rate));
            return wait ? judge(awaitEnd(answer)) : show(answer);
        }
    }

    @Command(
            name = "status",
            description =
                    "Shows how far the scrub of each drive is, and what it found; exit code 1 if it found something.")
    static final class Status extends OnDrives {
        @Option(names = "--wait", description = "Wait for the end of the passes under way.")
        private boolean wait;

        Status(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws InterruptedException {
            var answer = nativeApi().scrubStatus(which());
            return judge(wait ? awaitEnd(answer) : answer);
        }
    }

    @Command(name = "stop", description = "Stops where it is, until sluice scrub start.")
    static final class Stop extends OnDrives {
        Stop(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show(nativeApi().scrub("stop-scrub", which(), Optional.empty()));
        }
    }

    abstract static class OnDrives extends ClusterCommand {
        @Mixin
        private final EndpointOptions cluster = new EndpointOptions();

        @Option(names = "--target", paramLabel = "ID", description = "Only this target's drives.")
        private @Nullable String target;

        @Option(names = "--drive", paramLabel = "PATH", description = "Only this drive, by its folder or its id.")
        private @Nullable String drive;

        private final boolean terminal = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .isPresent();

        OnDrives(Installation installation) {
            super(installation);
        }

        @Override
        ClusterOptions cluster() {
            return cluster;
        }

        NativeApi.Drives which() {
            return new NativeApi.Drives(Optional.ofNullable(target), Optional.ofNullable(drive));
        }

        /// A line of progress, on a terminal only.
        JsonNode awaitEnd(JsonNode first) throws InterruptedException {
            var answer = first;
            while (drives(answer).stream().anyMatch(each -> isUnderWay(each.json))) {
                if (terminal) {
                    err().printf("\r%s\u001b[K", progress(answer));
                    err().flush();
                }
                Thread.sleep(LOOK_EVERY);
                answer = nativeApi().scrubStatus(which());
            }
            if (terminal) {
                err().print("\r\u001b[K");
                err().flush();
            }
            return answer;
        }

        private static boolean isUnderWay(JsonNode drive) {
            var state = drive.path("state").asText();
            return state.equals("running") || state.equals("waiting");
        }

        private static String progress(JsonNode answer) {
            long bytes = 0;
            long all = 0;
            long rate = 0;
            long left = 0;
            for (var each : drives(answer)) {
                bytes += each.json.path("bytes").asLong();
                all += each.json.path("bytes_all").asLong();
                rate += each.json.path("bytes_per_second").asLong();
                left = Math.max(left, each.json.path("seconds_left").asLong());
            }
            return "%s of %s, %s/s, %s left"
                    .formatted(Amounts.bytes(bytes), Amounts.bytes(all), Amounts.bytes(rate), time(left));
        }

        private static String time(long seconds) {
            return Duration.ofSeconds(seconds).toString().substring(2).toLowerCase(Locale.ROOT);
        }

        /// @return 1 when a target does not answer
        int show(JsonNode answer) {
            if (json()) {
                out().println(answer.toPrettyString());
                out().flush();
            } else {
                Output.table(
                        out(),
                        List.of("TARGET", "DRIVE", "STATE", "OBJECTS", "BYTES", "RATE", "LEFT", "FINISHED", "FINDINGS"),
                        drives(answer).stream().map(OnDrives::row).toList());
                drives(answer).forEach(this::findings);
            }
            var silent = answer.findValues("error");
            silent.forEach(error -> err().println("sluice: " + error.asText()));
            err().flush();
            return silent.isEmpty() ? 0 : 1;
        }

        /// @return 1 also when something was found
        int judge(JsonNode answer) {
            int shown = show(answer);
            boolean clean = drives(answer).stream()
                    .allMatch(each -> each.json.path("findings").asLong() == 0);
            return clean ? shown : 1;
        }

        private record Row(String target, JsonNode json) {}

        private static List<Row> drives(JsonNode answer) {
            var rows = new ArrayList<Row>();
            for (var each : answer) {
                each.path("drives")
                        .forEach(drive -> rows.add(new Row(each.path("target").asText(), drive)));
            }
            return rows;
        }

        private static List<String> row(Row row) {
            var at = row.json;
            var trouble = at.path("trouble").asText();
            return List.of(
                    row.target,
                    at.path("path").asText(),
                    at.path("state").asText() + (at.path("trouble").isTextual() ? ": " + trouble : ""),
                    at.path("objects").asLong() + " of "
                            + at.path("objects_all").asLong(),
                    Amounts.bytes(at.path("bytes").asLong()) + " of "
                            + Amounts.bytes(at.path("bytes_all").asLong()),
                    Amounts.bytes(at.path("bytes_per_second").asLong()) + "/s",
                    at.path("seconds_left").isNumber()
                            ? time(at.path("seconds_left").asLong())
                            : "-",
                    at.path("finished_millis").asLong() == 0
                            ? "never"
                            : Instant.ofEpochMilli(at.path("finished_millis").asLong())
                                    .truncatedTo(ChronoUnit.SECONDS)
                                    .toString(),
                    at.path("findings").asText());
        }

        private void findings(Row row) {
            var latest = row.json.path("latest");
            for (var each : latest) {
                out().printf(
                                "%s %s %s/%s: %s (%s)%n",
                                row.target,
                                each.path("kind").asText(),
                                row.json.path("path").asText(),
                                each.path("path").asText(),
                                each.path("why").asText(),
                                each.path("action").asText());
            }
            long more = row.json.path("findings").asLong() - latest.size();
            if (more > 0) {
                out().printf("%s and %d more%n", row.target, more);
            }
            out().flush();
        }
    }
}
