package dev.sluice.cli;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.process.JvmCommand;
import dev.sluice.cli.process.StartCache;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `sluice` with nodes that only answer /health. Also the main class of the processes that it starts.
final class TrialSluice {
    private TrialSluice() {}

    public static void main(String[] arguments) {
        System.exit(Sluice.run(installation(System.getenv()), arguments));
    }

    static Installation installation(Map<String, String> environment) {
        return installation(environment, Optional.empty());
    }

    static Installation installation(Map<String, String> environment, Optional<StartCache> startCache) {
        var jvm = new JvmCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "--enable-native-access=ALL-UNNAMED"),
                System.getProperty("java.class.path"),
                TrialSluice.class.getName());
        return new Installation(jvm, HealthOnlyNodes::new, environment, startCache);
    }
}
