package dev.sluice.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/// File systems that tests mount, each with a file in the module's `target/mounts` that outlives a JVM that is killed.
public final class Mounts {
    private static final Path RECORDS = Path.of("target", "mounts");
    private static final int PATIENCE_SECONDS = 20;

    private Mounts() {}

    /// To be said before it is mounted.
    ///
    /// @param image deleted with it
    /// @return for [#ended]
    public static Path begun(Path mount, Path image) {
        try {
            var record = Files.createDirectories(RECORDS)
                    .resolve("%d-%s".formatted(ProcessHandle.current().pid(), UUID.randomUUID()));
            return Files.writeString(record, mount.toAbsolutePath() + "\n" + image.toAbsolutePath() + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// To be said when it is unmounted.
    public static void ended(Path record) {
        try {
            Files.deleteIfExists(record);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// Unmounts what this JVM has mounted, or one that is gone.
    public static void endAll() {
        if (!Files.isDirectory(RECORDS)) {
            return;
        }
        try (var records = Files.list(RECORDS)) {
            for (var record : records.toList()) {
                end(record);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void end(Path record) throws IOException {
        long pid = Long.parseLong(record.getFileName().toString().split("-", 2)[0]);
        boolean own = pid == ProcessHandle.current().pid();
        if (!own && ProcessHandle.of(pid).isPresent()) {
            return;
        }
        var lines = Files.readAllLines(record);
        Notes.add("a test left mounted, unmounted: " + lines.getFirst());
        var unmount = new ProcessBuilder("umount", "--lazy", lines.getFirst())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!unmount.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                unmount.destroyForcibly();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(Path.of(lines.getLast()));
        Files.deleteIfExists(record);
    }
}
