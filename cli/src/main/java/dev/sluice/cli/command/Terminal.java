package dev.sluice.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// Whether someone watches. Java tells it of standard input and output only, so Linux is asked for standard error.
public final class Terminal {
    private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /// Whether standard output is one.
    public static boolean showsOutput() {
        return isTerminal(STANDARD_OUTPUT);
    }

    /// Whether standard error is one.
    public static boolean showsErrors() {
        return isTerminal(STANDARD_ERROR);
    }

    /// @param open a link to what is open
    static boolean isTerminal(Path open) {
        try {
            var device = Files.readSymbolicLink(open).toString();
            return Stream.of("/dev/pts/", "/dev/tty", "/dev/console").anyMatch(device::startsWith);
        } catch (IOException unknown) {
            return false; // closed, or not Linux: better no progress than control characters in a log
        }
    }
}
