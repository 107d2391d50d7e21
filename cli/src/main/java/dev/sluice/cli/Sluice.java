package dev.sluice.cli;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.config.ConfigException;
import dev.sluice.cli.failure.CommandFailure;
import java.io.PrintWriter;
import picocli.CommandLine;

/// The `sluice` command. Exit codes: 0 done, 1 failed, 2 refused (wrong options, or a state that forbids it).
public final class Sluice {
    private Sluice() {}

    public static void main(String[] arguments) {
        System.exit(run(Installation.ofLauncher(Sluice.class, System.getenv()), arguments));
    }

    /// One command in this JVM; the exit code says how it went.
    public static int run(Installation installation, String... arguments) {
        return commandLine(installation, arguments).execute(arguments);
    }

    /// The same with other places for what it prints.
    public static int run(Installation installation, PrintWriter out, PrintWriter err, String... arguments) {
        return commandLine(installation, arguments).setOut(out).setErr(err).execute(arguments);
    }

    private static CommandLine commandLine(Installation installation, String... arguments) {
        return Commands.of(installation, arguments)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, _) -> report(failure, line.getErr()));
    }

    private static int report(Exception failure, PrintWriter err) throws Exception {
        return switch (failure) {
            case CommandFailure expected -> say(err, expected.reason(), expected.exitCode());
            case ConfigException wrong -> say(err, String.valueOf(wrong.getMessage()), CommandFailure.REFUSED);
            default -> throw failure;
        };
    }

    private static int say(PrintWriter err, String reason, int exitCode) {
        err.println("sluice: " + reason);
        return exitCode;
    }
}
