package dev.sluice.cli.command;

import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/// The streams of a command line, where picocli has put its description into a command.
final class Specs {
    private Specs() {}

    static PrintWriter out(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    static PrintWriter err(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }
}
