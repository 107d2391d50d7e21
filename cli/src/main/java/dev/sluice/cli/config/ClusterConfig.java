package dev.sluice.cli.config;

import dev.sluice.cli.config.value.Checks;
import java.util.List;

/// A local cluster: the contents of `DIR/sluice.toml`. What its nodes share is passed on into each node's own file.
public record ClusterConfig(
        Shape cluster,
        AuthConfig auth,
        LimitsConfig limits,
        BackendsConfig backends,
        StorageConfig storage,
        HttpConfig http,
        LogConfig log) {

    /// `[cluster]`: how many of what, and where. `driveRoots`, if any, are folders (one a drive, each on its own disk)
    /// in which every target gets a folder of its own; else drives are folders below DIR.
    public record Shape(
            int proxies, int targets, int drives, String host, int port, boolean separate, List<String> driveRoots) {
        public Shape {
            driveRoots = List.copyOf(driveRoots);
            Checks.between("cluster.proxies", proxies, 1, 100);
            Checks.between("cluster.targets", targets, 1, 100);
            Checks.between("cluster.drives", drives, 1, 100);
            Checks.between("cluster.port", port, 1, 65_535 - 100 - targets);
            if (host.isBlank()) {
                throw new IllegalArgumentException("cluster.host is missing");
            }
            if (!driveRoots.isEmpty() && driveRoots.size() != drives) {
                throw new IllegalArgumentException(
                        "cluster.drive_roots names " + driveRoots.size() + " folders for cluster.drives = " + drives);
            }
        }
    }

    /// @throws IllegalArgumentException when the nodes would refuse to start like that
    public void requireSafe() {
        auth.requireOwnKeys();
        auth.requireSafe(cluster.host(), http.tls());
    }

    public static final ClusterConfig DEFAULTS = new ClusterConfig(
            new Shape(1, 3, 2, "127.0.0.1", 8080, false, List.of()),
            AuthConfig.DEFAULTS,
            LimitsConfig.DEFAULTS,
            BackendsConfig.DEFAULTS,
            StorageConfig.DEFAULTS,
            HttpConfig.DEFAULTS,
            LogConfig.DEFAULTS);
}
