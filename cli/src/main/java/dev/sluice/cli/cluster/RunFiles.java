package dev.sluice.cli.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The files in `DIR/run` by which a process of nodes tells the command that started it how it went.
public record RunFiles(Path dir, String name) {

    public void ready() {
        write(NodeProcess.ready(new Layout(dir), name), "ready\n");
    }

    public void refused(String reason) {
        write(NodeProcess.refused(new Layout(dir), name), reason + "\n");
    }

    private static void write(Path file, String text) {
        try {
            var work = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(work, text);
            Files.move(work, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException unwritable) {
            throw new UncheckedIOException("cannot tell the waiting command", unwritable);
        }
    }
}
