package dev.sluice.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Lines that a test wants to be read by whoever ran the tests, also when it passes. The summary of the run prints
/// them.
public final class Notes {
    /// One line a note.
    public static final String FILE = "notes.txt";

    /// Surefire's reports of the module whose tests run.
    public static final Path REPORTS = Path.of("target", "surefire-reports");

    private Notes() {}

    /// @param line without line breaks; others are replaced by blanks
    public static synchronized void add(String line) {
        try {
            Files.createDirectories(REPORTS);
            Files.writeString(
                    REPORTS.resolve(FILE),
                    line.replaceAll("\\R", " ") + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
