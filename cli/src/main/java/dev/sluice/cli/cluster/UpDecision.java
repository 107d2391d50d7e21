package dev.sluice.cli.cluster;

import dev.sluice.cli.config.AuthConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What `up` does about what it finds in DIR. A pure function of that, so every case can be tested.
sealed interface UpDecision {
    /// The same cluster runs already.
    record AlreadyRunning(ClusterFile cluster) implements UpDecision {}

    /// A cluster runs, but not as asked now.
    record RunsDifferently(ClusterFile cluster, List<String> differences) implements UpDecision {}

    /// Nothing runs; `stale` if the last cluster ended without `down`.
    record Start(boolean stale) implements UpDecision {}

    static UpDecision decide(
            Optional<ClusterFile> found,
            boolean alive,
            UpOptions options,
            boolean sameSettings,
            Map<String, String> environment) {
        if (found.isEmpty() || !alive) {
            return new Start(found.isPresent());
        }
        var differences = differences(found.get(), options, sameSettings, environment);
        return differences.isEmpty() ? new AlreadyRunning(found.get()) : new RunsDifferently(found.get(), differences);
    }

    private static List<String> differences(
            ClusterFile cluster, UpOptions options, boolean sameSettings, Map<String, String> environment) {
        var runs = cluster.started();
        var found = new ArrayList<String>();
        compare(found, "--proxies", options.proxies(), runs.proxies());
        compare(found, "--targets", options.targets(), runs.targets());
        compare(found, "--drives", options.drives(), runs.drives());
        compare(found, "--port", options.port(), runs.port());
        compare(found, "--host", options.host(), runs.host());
        compare(found, "--separate", options.separate(), runs.separate());
        compare(found, "--no-auth", options.auth().map(auth -> !auth), !runs.auth());
        if (options.config().isPresent() && !sameSettings) {
            found.add("--config " + options.config().get() + " (runs with other settings)");
        }
        if (options.foreground()) {
            found.add("--foreground (runs in the background)");
        }
        compare(found, AuthConfig.ACCESS_KEY_VARIABLE, environment, cluster.accessKey());
        compare(found, AuthConfig.SECRET_KEY_VARIABLE, environment, cluster.secretKey());
        return found;
    }

    private static <T> void compare(List<String> differences, String option, Optional<T> asked, T runs) {
        asked.filter(value -> !value.equals(runs))
                .ifPresent(value -> differences.add(option + " " + value + " (runs with " + runs + ")"));
    }

    private static void compare(List<String> differences, String name, Map<String, String> asked, String runs) {
        if (!asked.getOrDefault(name, runs).equals(runs)) {
            differences.add(name + " (runs with another key)");
        }
    }
}
