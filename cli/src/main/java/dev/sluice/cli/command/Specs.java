package dev.sluice.cli.command;

import java.io.PrintWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/// The streams of a command line, where picocli has put its description into a command.
public final class Specs {
    /// The heading of a command's examples.
    public static final String EXAMPLES = "%nExamples:%n";

    private Specs() {}

    public static PrintWriter out(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec).commandLine().getOut();
    }

    public static PrintWriter err(@Nullable CommandSpec spec) {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }
}
