package dev.sluice.cli.command.job;

import dev.sluice.cli.failure.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/// Reads the keys that a user lists, one in a line. Empty lines are left out.
final class NameLines {
    /// What a cluster takes (in JSON), with a margin: it says what is too much. More is not read.
    private static final int MOST_BYTES = 256 << 10;

    private NameLines() {}

    /// @param file a path, or `-` for standard input
    /// @throws CommandFailure when it cannot be read, is too large, or has no names
    static List<String> read(String file) {
        try (var input = file.equals("-") ? System.in : Files.newInputStream(Path.of(file))) {
            return names(file, input);
        } catch (CharacterCodingException _) {
            throw CommandFailure.refused("the list %s is not text in UTF-8".formatted(file));
        } catch (NoSuchFileException _) {
            throw CommandFailure.refused("there is no file %s".formatted(file));
        } catch (IOException e) {
            throw CommandFailure.refused("the list %s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    static List<String> names(String file, InputStream input) throws IOException {
        var bytes = input.readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) {
            throw CommandFailure.refused(
                    "the list %s is too large, a job takes 64 KiB of names: split it, or use a PREFIX or a --template"
                            .formatted(file));
        }
        var names = StandardCharsets.UTF_8
                .newDecoder()
                .decode(java.nio.ByteBuffer.wrap(bytes))
                .toString()
                .replaceFirst("^\\uFEFF", "") // which some editors write before the first name
                .lines()
                .filter(line -> !line.isEmpty())
                .toList();
        if (names.isEmpty()) {
            throw CommandFailure.refused("the list %s has no names".formatted(file));
        }
        return names;
    }
}
