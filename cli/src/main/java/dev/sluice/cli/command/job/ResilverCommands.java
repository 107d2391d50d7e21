package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Output;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `sluice resilver start|status|stop`.
public final class ResilverCommands {
    private ResilverCommands() {}

    @Command(
            name = "start",
            description = "Looks at every object now and moves what is not where it belongs, or goes on after a stop.")
    public static final class Start extends OnTargets {
        @Option(names = "--wait", description = "Wait for the end and show how far it is.")
        private boolean wait;

        public Start(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws InterruptedException {
            var answer = nativeApi().resilver("start-resilver", target());
            return wait ? judge(awaitEnd(answer)) : show(answer);
        }
    }

    @Command(
            name = "status",
            description = "Shows whether objects are where they belong, and what is being moved;"
                    + " exit code 1 if some cannot be moved.")
    public static final class Status extends OnTargets {
        @Option(names = "--wait", description = "Wait until all is where it belongs.")
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

    @Command(name = "stop", description = "Moves nothing until sluice resilver start, or a restart of the target.")
    public static final class Stop extends OnTargets {
        public Stop(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show(nativeApi().resilver("stop-resilver", target()));
        }
    }

    abstract static class OnTargets extends JobCommand {
        OnTargets(Installation installation) {
            super(installation);
        }

        @Override
        JsonNode look() {
            return nativeApi().resilverStatus(target());
        }

        @Override
        boolean isUnderWay(JsonNode answer) {
            return all(answer).stream().anyMatch(JobCommand::isWorking);
        }

        @Override
        String progress(JsonNode answer) {
            long objects = 0;
            long all = 0;
            long rate = 0;
            long left = 0;
            var reason = "";
            for (var each : all(answer)) {
                objects += each.path("objects").asLong();
                all += each.path("objects_all").asLong();
                rate += each.path("bytes_per_second").asLong();
                left = Math.max(left, each.path("seconds_left").asLong());
                reason = each.path("reason").isTextual() ? "; " + state(each, "reason") : reason;
            }
            return "%d of %d objects looked at, %s/s moved, %s left%s"
                    .formatted(objects, all, Amounts.bytes(rate), time(left), reason);
        }

        @Override
        void showTable(JsonNode answer) {
            Output.table(
                    out(),
                    List.of("TARGET", "STATE", "OBJECTS", "MOVED", "BYTES", "RATE", "LEFT", "FINISHED", "FAILURES"),
                    all(answer).stream().map(OnTargets::row).toList());
            all(answer).forEach(this::failures);
        }

        @Override
        boolean isClean(JsonNode answer) {
            return all(answer).stream().allMatch(each -> each.path("failures").asLong() == 0);
        }

        private static List<JsonNode> all(JsonNode answer) {
            var all = new ArrayList<JsonNode>();
            for (var each : answer) {
                if (each.has("state")) {
                    all.add(each);
                }
            }
            return all;
        }

        private static List<String> row(JsonNode at) {
            return List.of(
                    at.path("target").asText(),
                    state(at, "reason"),
                    at.path("objects").asLong() + " of "
                            + at.path("objects_all").asLong(),
                    at.path("moved_objects").asText(),
                    Amounts.bytes(at.path("moved_bytes").asLong()),
                    Amounts.bytes(at.path("bytes_per_second").asLong()) + "/s",
                    left(at),
                    finished(at),
                    at.path("failures").asText());
        }

        private void failures(JsonNode at) {
            var target = at.path("target").asText();
            var latest = at.path("latest");
            for (var each : latest) {
                out().printf(
                                "%s %s/%s: %s%n",
                                target,
                                each.path("bucket").asText(),
                                each.path("key").asText(),
                                each.path("why").asText());
            }
            more(target, at.path("failures").asLong() - latest.size());
        }
    }
}
