package dev.sluice.cli.cluster;

import dev.sluice.cli.config.ClusterConfig;
import dev.sluice.cli.config.ConfigException;
import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.failure.CommandFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Objects are placed by the set of targets: a start with another one would not find them, so it is refused. With other
/// numbers of drives too: they are attached and detached while the cluster runs.
final class ExistingDrives {
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

    private static Set<Path> without(Set<Path> some, Set<Path> others) {
        var left = new TreeSet<>(some);
        left.removeAll(others);
        return left;
    }
}
