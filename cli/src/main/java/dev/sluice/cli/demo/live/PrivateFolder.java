package dev.sluice.cli.demo.live;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/// A temporary folder that only its user may look into. It goes with everything in it.
record PrivateFolder(Path path) implements Closeable {
    static PrivateFolder in(Path parent, String prefix) throws IOException {
        return new PrivateFolder(Files.createTempDirectory(parent, prefix));
    }

    @Override
    public void close() throws IOException {
        try (var tree = Files.walk(path)) {
            for (var file : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
