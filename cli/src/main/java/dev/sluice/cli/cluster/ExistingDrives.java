package dev.sluice.cli.cluster;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.cli.CommandFailure;
import dev.sluice.cli.config.ClusterConfig;
import dev.sluice.cli.config.ConfigException;
import dev.sluice.cli.config.ConfigFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Objects are placed by the set of targets and drives: a start with another set would not find them, so it is refused.
final class ExistingDrives {
    private static final JsonMapper JSON = new JsonMapper();

    private ExistingDrives() {}

    static void check(Layout layout, ClusterConfig.Shape shape) {
        var before = before(layout);
        if (before.isEmpty()) {
            return;
        }
        var now = new HashSet<Path>();
        layout.nodes(shape).forEach(node -> now.addAll(node.drives()));
        if (!now.equals(before)) {
            throw CommandFailure.refused(
                    "%s was made with other targets or drives: missing now %s, new now %s. Start it with the numbers it had, or use another --dir"
                            .formatted(layout.dir(), without(before, now), without(now, before)));
        }
        var disabled = disabled(before);
        before.stream()
                .filter(drive -> !Files.isDirectory(drive) && !disabled.contains(drive.toString()))
                .findFirst()
                .ifPresent(drive -> {
                    throw CommandFailure.refused(
                            "drive " + drive + " of this cluster is missing: is its disk mounted?");
                });
    }

    /// The drives of the last start, from the files of its nodes.
    private static Set<Path> before(Layout layout) {
        var drives = new HashSet<Path>();
        for (var number = 1; Files.exists(layout.nodeConfig("target%03d".formatted(number))); number++) {
            var file = layout.nodeConfig("target%03d".formatted(number));
            try {
                drives.addAll(ConfigFiles.node(file, Map.of()).drives().folders());
            } catch (ConfigException unreadable) {
                throw CommandFailure.refused("what the last start had is unknown: " + unreadable.getMessage());
            }
        }
        return drives;
    }

    /// A drive that an operator has disabled may be away; each other drive of its target says so.
    private static Set<String> disabled(Set<Path> drives) {
        var paths = new HashSet<String>();
        for (var drive : drives) {
            var file = drive.resolve(".sluice/disabled.json");
            try {
                if (Files.exists(file)) {
                    JSON.readTree(file.toFile()).path("disabled").forEach(path -> paths.add(path.asText()));
                }
            } catch (IOException unreadable) {
                throw CommandFailure.refused(file + " cannot be read: " + unreadable.getMessage());
            }
        }
        return paths;
    }

    private static Set<Path> without(Set<Path> some, Set<Path> others) {
        var left = new TreeSet<>(some);
        left.removeAll(others);
        return left;
    }
}
