package dev.sluice.deploy.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A program that ran to its end, with what it said. Output goes through files: a child that lives on may hold a
/// pipe open.
///
/// @param latin1 what it wrote to its output, a character for each byte
public record Finished(List<String> command, int exit, String latin1, String err) {
    public Finished {
        command = List.copyOf(command);
    }

    public static Finished run(Duration limit, Map<String, String> environment, List<String> command) {
        try {
            var out = Files.createTempFile("out", "");
            var err = Files.createTempFile("err", "");
            try {
                return run(limit, environment, command, out, err);
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Finished run(
            Duration limit, Map<String, String> environment, List<String> command, Path out, Path err)
            throws IOException {
        var builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(TestedBuild.ENVIRONMENT);
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError("%s did not end within %s; it said: %s %s"
                        .formatted(command, limit, Files.readString(out, StandardCharsets.ISO_8859_1), text(err)));
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return new Finished(command, process.exitValue(), text(out), text(err));
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    public byte[] out() {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    public String outText() {
        return new String(out(), StandardCharsets.UTF_8);
    }

    /// Itself when it ended well.
    public Finished orFail(String more) {
        if (exit != 0) {
            throw new AssertionError(
                    "exit code %d of %s%n%s%n%s%n%s".formatted(exit, String.join(" ", command), outText(), err, more));
        }
        return this;
    }
}
