package dev.sluice.cli.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/// Remembers what a command created, and deletes exactly that if the command fails.
final class Undo {
    private final Deque<Path> created = new ArrayDeque<>();

    /// Creates a folder and the ones above it. Those that are there keep their permissions.
    void folder(Path folder, Set<PosixFilePermission> permissions) throws IOException {
        var missing = new ArrayDeque<Path>();
        for (var each = folder; each != null && !Files.exists(each); each = each.getParent()) {
            missing.push(each);
        }
        if (!missing.isEmpty()) {
            expect(missing.getFirst());
        }
        for (var each : missing) {
            Files.createDirectory(each);
            Files.setPosixFilePermissions(each, permissions); // past the mask
        }
    }

    /// Says that this path is going to be created, if it is not there yet.
    void expect(Path path) {
        if (!Files.exists(path)) {
            created.push(path);
        }
    }

    void undo() {
        while (!created.isEmpty()) {
            var path = created.pop();
            try (var tree = Files.exists(path) ? Files.walk(path) : Stream.<Path>empty()) {
                for (var file : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException left) {
                LoggerFactory.getLogger(Undo.class).warn("{} is left behind", path, left);
            }
        }
    }
}
