package dev.sluice.cli.node;

import dev.sluice.cli.config.ConfigFiles;
import dev.sluice.cli.config.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// The settings of a target that is its own cluster, with one drive.
final class TargetConfig {
    private TargetConfig() {}

    static NodeConfig of(String id, Path folder, String... more) throws IOException {
        var text = """
                [node]
                id = "%s"
                role = "target"
                listen = "127.0.0.1:0"
                url = "http://127.0.0.1:1"
                [drives]
                paths = ["%s"]
                [[cluster.nodes]]
                id = "%s"
                role = "target"
                url = "http://127.0.0.1:1"
                [auth]
                access_key = "a"
                secret_key = "s"
                cluster_key = "0123456789abcdef"
                """.formatted(id, folder.resolve(id), id);
        var file = Files.writeString(folder.resolve(id + ".toml"), text + String.join("\n", more) + "\n");
        return ConfigFiles.node(file, Map.of());
    }
}
