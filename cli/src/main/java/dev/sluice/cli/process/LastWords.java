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

    public static Optional<String> of(List<Path> files) {
        return files.stream().map(LastWords::in).flatMap(Optional::stream).findFirst();
    }

    private static Optional<String> in(Path file) {
        try {
            if (!Files.exists(file)) {
                return Optional.empty();
            }
            var lines = new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            var error = lines.reversed().stream()
                    .filter(line -> line.contains(" ERROR ") || line.startsWith("Error: "))
                    .findFirst();
            var last = file.toString().endsWith(".log")
                    ? Optional.<String>empty()
                    : lines.reversed().stream().findFirst();
            return error.or(() -> last);
        } catch (IOException unreadable) {
            return Optional.of(file + " cannot be read: " + unreadable.getMessage());
        }
    }
}
