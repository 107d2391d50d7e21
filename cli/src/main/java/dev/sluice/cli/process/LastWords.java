package dev.sluice.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Why a process ended, from what it left: its own reason, else the last ERROR of its log, else its last line.
public final class LastWords {
    private LastWords() {}

    /// Of one that still runs: the last line of its log, or of a file before.
    public static Optional<String> sofar(List<Path> files) {
        return files.stream()
                .map(LastWords::lines)
                .filter(lines -> !lines.isEmpty())
                .map(List::getLast)
                .findFirst();
    }

    public static Optional<String> of(List<Path> files) {
        return files.stream().map(LastWords::in).flatMap(Optional::stream).findFirst();
    }

    private static Optional<String> in(Path file) {
        var lines = lines(file).reversed();
        var error = lines.stream()
                .filter(line -> line.contains(" ERROR ") || line.startsWith("Error: "))
                .findFirst();
        var last = file.toString().endsWith(".log")
                ? Optional.<String>empty()
                : lines.stream().findFirst();
        return error.or(() -> last);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file)
                    ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                            .lines()
                            .filter(line -> !line.isBlank())
                            .toList()
                    : List.of();
        } catch (IOException unreadable) {
            return List.of("Error: " + file + " cannot be read: " + unreadable.getMessage());
        }
    }
}
