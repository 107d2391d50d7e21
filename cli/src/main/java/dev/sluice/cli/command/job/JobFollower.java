package dev.sluice.cli.command.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.cli.command.Amounts;
import dev.sluice.cli.command.ClusterCommand;
import dev.sluice.cli.command.Terminal;
import dev.sluice.cli.failure.CommandFailure;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

/// Follows one job to its end, with a line of progress on a terminal, and judges it.
final class JobFollower {
    private static final Duration FIRST_LOOK = Duration.ofMillis(50);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /// How long a cluster may not answer.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClusterCommand command;
    private final boolean watched = Terminal.showsErrors();

    JobFollower(ClusterCommand command) {
        this.command = command;
    }

    /// @return 0 only when the job has done all of it
    int await(JsonNode first) throws InterruptedException {
        var job = first;
        var api = command.nativeApi();
        var pause = FIRST_LOOK;
        while (isRunning(job)) {
            draw(progress(job));
            Thread.sleep(pause);
            pause = pause.multipliedBy(2).compareTo(LOOK_EVERY) < 0 ? pause.multipliedBy(2) : LOOK_EVERY;
            job = look(job.path("id").asText(), api::job, this::tell, PATIENCE, LOOK_EVERY);
        }
        draw("");
        return judge(job);
    }

    /// Asks again while there is no answer, for a while.
    ///
    /// @throws CommandFailure saying how to wait on
    static JsonNode look(
            String id, Function<String, JsonNode> ask, Consumer<String> notice, Duration patience, Duration pause)
            throws InterruptedException {
        long until = System.nanoTime() + patience.toNanos();
        boolean told = false;
        while (true) {
            try {
                return ask.apply(id);
            } catch (CommandFailure failure) {
                if (!failure.isPassing()) {
                    throw failure;
                }
                if (System.nanoTime() - until > 0) {
                    throw CommandFailure.failed("%s. The job goes on; wait for it with: sluice job wait %s"
                            .formatted(failure.reason(), id));
                }
                if (!told) {
                    notice.accept("%s; asking again for %d s".formatted(failure.reason(), patience.toSeconds()));
                    told = true;
                }
                Thread.sleep(pause);
            }
        }
    }

    private void tell(String notice) {
        draw("");
        command.err().println("sluice: " + notice);
        command.err().flush();
    }

    static boolean isRunning(JsonNode job) {
        return job.path("state").asText().equals("running");
    }

    private void draw(String line) {
        if (watched) {
            command.err().printf("\r%s\u001b[K", line);
            command.err().flush();
        }
    }

    private int judge(JsonNode job) {
        command.done(job, summary(job));
        var err = command.err();
        var id = job.path("id").asText();
        if (job.path("message").isTextual()) {
            err.println("sluice: %s: %s".formatted(id, job.path("message").asText()));
        }
        var failures = job.path("failures");
        failures.forEach(failure -> err.println("sluice: %s: %s"
                .formatted(failure.path("key").asText(), failure.path("why").asText())));
        long more = job.path("failed").asLong() - failures.size();
        if (more > 0) {
            err.println("sluice: and %d more failed".formatted(more));
        }
        boolean ended = job.path("state").asText().equals("done");
        boolean nothing = ended && job.path("listed").asLong() == 0;
        if (nothing) {
            err.println("sluice: %s: no object matches".formatted(id));
        }
        err.flush();
        return ended && !nothing && job.path("failed").asLong() == 0 ? 0 : CommandFailure.FAILED;
    }

    /// In one line, while it runs.
    static String progress(JsonNode job) {
        long finished = finished(job);
        var of = job.path("objects_all").isNumber()
                ? "%s of %d objects"
                        .formatted(
                                bar(finished, job.path("objects_all").asLong()),
                                job.path("objects_all").asLong())
                : "%d objects".formatted(finished);
        var left = job.path("seconds_left").isNumber()
                ? ", %s left".formatted(JobCommand.time(job.path("seconds_left").asLong()))
                : "";
        return "%s, %s, %s/s%s"
                .formatted(
                        of,
                        Amounts.bytes(job.path("bytes").asLong()),
                        Amounts.bytes(job.path("bytes_per_second").asLong()),
                        left);
    }

    private static long finished(JsonNode job) {
        return job.path("done").asLong()
                + job.path("skipped").asLong()
                + job.path("failed").asLong();
    }

    private static String bar(long finished, long all) {
        int width = 20;
        int filled = all == 0 ? width : (int) Math.min(width, width * finished / all);
        return "[%s%s] %d".formatted("=".repeat(filled), " ".repeat(width - filled), finished);
    }

    /// In one line.
    static String summary(JsonNode job) {
        var state = job.path("state").asText();
        boolean dry = job.path("dry_run").asBoolean();
        var words = JobWords.of(job);
        var requests = dry ? ", by %d requests".formatted(job.path("requests").asLong()) : "";
        return String.format(
                Locale.ROOT,
                "%s %s: %d %s (%s)%s, %d %s, %d failed",
                job.path("id").asText(),
                state,
                job.path("done").asLong(),
                dry ? words.toDo() : words.done(),
                Amounts.bytes(job.path("bytes").asLong()),
                requests,
                job.path("skipped").asLong(),
                words.skipped(),
                job.path("failed").asLong());
    }
}
