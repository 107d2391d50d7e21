package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.ObjectCommand;
import dev.sluice.cli.command.Output;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `sluice job ls|show|wait|stop`.
public final class JobCommands {
    private JobCommands() {}

    @Command(name = "ls", description = "Lists the jobs that run and the last 1000 that ended, the newest first.")
    public static final class ListJobs extends ObjectCommand {
        @Option(names = "--running", description = "Only those that run.")
        private boolean running;

        public ListJobs(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            var shown = new ArrayList<JsonNode>();
            for (var job : nativeApi().jobs()) {
                if (!running || JobFollower.isRunning(job)) {
                    shown.add(job);
                }
            }
            if (json()) {
                Output.json(out(), shown);
            } else {
                Output.table(
                        out(),
                        List.of("JOB", "OBJECTS OF", "STATE", "DONE", "SKIPPED", "FAILED", "BYTES", "STARTED"),
                        shown.stream().map(ListJobs::row).toList());
            }
            return 0;
        }

        private static List<String> row(JsonNode job) {
            return List.of(
                    job.path("id").asText(),
                    selection(job),
                    job.path("state").asText() + (job.path("dry_run").asBoolean() ? " (dry run)" : ""),
                    job.path("done").asText(),
                    job.path("skipped").asText(),
                    job.path("failed").asText(),
                    Amounts.bytes(job.path("bytes").asLong()),
                    time(job.path("created_millis").asLong()));
        }
    }

    private static String selection(JsonNode job) {
        if (job.path("names").isNumber()) {
            return "%s (%d names)"
                    .formatted(job.path("bucket").asText(), job.path("names").asInt());
        }
        var keys = job.path("template").asText(job.path("prefix").asText());
        return keys.isEmpty() ? job.path("bucket").asText() : job.path("bucket").asText() + "/" + keys;
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Command(name = "show", description = "Shows one job: progress, targets and the first 100 failures.")
    public static final class Show extends OnOne {
        public Show(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show(nativeApi().job(id()));
        }
    }

    @Command(
            name = "wait",
            description = "Waits for the end of a job and shows progress; exit code 1 unless all of it is done.")
    public static final class Wait extends OnOne {
        public Wait(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() throws InterruptedException {
            return new JobFollower(this).await(nativeApi().job(id()));
        }
    }

    @Command(name = "stop", description = "Stops a job. Changes that it has made stay.")
    public static final class Stop extends OnOne {
        public Stop(Installation installation) {
            super(installation);
        }

        @Override
        public Integer call() {
            return show(nativeApi().stopJob(id()));
        }
    }

    abstract static class OnOne extends ObjectCommand {
        @Parameters(paramLabel = "JOB", description = "The job's id, as sluice job ls shows it.")
        private String id = "";

        OnOne(Installation installation) {
            super(installation);
        }

        String id() {
            return id;
        }

        int show(JsonNode job) {
            if (json()) {
                Output.json(out(), job);
                return 0;
            }
            out().println(JobFollower.summary(job));
            out().println("objects of %s, started %s by %s"
                    .formatted(
                            selection(job),
                            time(job.path("created_millis").asLong()),
                            job.path("author").asText()));
            if (JobFollower.isRunning(job)) {
                out().println(JobFollower.progress(job));
            }
            if (job.path("message").isTextual()) {
                out().println(job.path("message").asText());
            }
            Output.table(
                    out(), List.of("TARGET", "STATE", "LISTED", "DONE", "SKIPPED", "FAILED", "BYTES"), targets(job));
            job.path("failures")
                    .forEach(failure -> out().println("%s: %s"
                            .formatted(
                                    failure.path("key").asText(),
                                    failure.path("why").asText())));
            out().flush();
            return 0;
        }

        private static List<List<String>> targets(JsonNode job) {
            var rows = new ArrayList<List<String>>();
            for (var target : job.path("targets")) {
                rows.add(List.of(
                        target.path("target").asText(),
                        JobCommand.state(target, "message"),
                        target.path("listed").asText("-"),
                        target.path("done").asText("-"),
                        target.path("skipped").asText("-"),
                        target.path("failed").asText("-"),
                        Amounts.bytes(target.path("bytes").asLong())));
            }
            return rows;
        }
    }
}
