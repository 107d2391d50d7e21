package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import dev.sluice.cli.failure.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `sluice scrub start|status|stop`.
public final class ScrubCommands {
    private ScrubCommands() {}

    @Command(
            name = "start",
            description = "Reads drives now and compares them with what is known of them, or goes on after a stop.")
    public static final class Start extends OnDrives {
        @Option(
                names = "--rate",
                paramLabel = "MIB",
                defaultValue = "0",
                description = "MiB a second of each drive (default: as fast as it gives).")
        private long rate;

        @Option(names = "--wait", description = "Wait for the end and show how far it is.")
        private boolean wait;

        public Start(Installation installation) {
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
    public static final class Status extends OnDrives {
        @Option(names = "--wait", description = "Wait for the end of the passes under way.")
        private boolean wait;

        public Status(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws InterruptedException {
            var answer = look();
            return judge(wait ? awaitEnd(answer) : answer);
        }
    }

    @Command(name = "stop", description = "Stops where it is, until sluice scrub start.")
    public static final class Stop extends OnDrives {
        public Stop(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show(nativeApi().scrub("stop-scrub", which(), Optional.empty()));
        }
    }

    abstract static class OnDrives extends JobCommand {
        @Option(names = "--drive", paramLabel = "PATH", description = "Only this drive, by its folder or its id.")
        private @Nullable String drive;

        OnDrives(Installation installation) {
            super(installation);
        }

        NativeApi.Drives which() {
            return new NativeApi.Drives(target(), Optional.ofNullable(drive));
        }

        @Override
        JsonNode look() {
            return nativeApi().scrubStatus(which());
        }

        @Override
        boolean isUnderWay(JsonNode answer) {
            return drives(answer).stream().anyMatch(each -> isWorking(each.json));
        }

        @Override
        String progress(JsonNode answer) {
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

        @Override
        void showTable(JsonNode answer) {
            Output.table(
                    out(),
                    List.of("TARGET", "DRIVE", "STATE", "OBJECTS", "BYTES", "RATE", "LEFT", "FINISHED", "FINDINGS"),
                    drives(answer).stream().map(OnDrives::row).toList());
            drives(answer).forEach(this::findings);
        }

        @Override
        boolean isClean(JsonNode answer) {
            return drives(answer).stream()
                    .allMatch(each -> each.json.path("findings").asLong() == 0);
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
            return List.of(
                    row.target,
                    at.path("path").asText(),
                    state(at, "trouble"),
                    at.path("objects").asLong() + " of "
                            + at.path("objects_all").asLong(),
                    Amounts.bytes(at.path("bytes").asLong()) + " of "
                            + Amounts.bytes(at.path("bytes_all").asLong()),
                    Amounts.bytes(at.path("bytes_per_second").asLong()) + "/s",
                    left(at),
                    finished(at),
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
            more(row.target, row.json.path("findings").asLong() - latest.size());
        }
    }
}
