package dev.sluice.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.config.ConfigFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusedDriveTest {
    @TempDir
    private Path folder;

    @Test
    void aDriveThatMustNotBeUsedIsOneLineAndExitCodeTwo() throws IOException, InterruptedException {
        var drive = folder.resolve("drive1");
        var identity = Files.createDirectories(drive.resolve(".sluice")).resolve("drive.json");
        Files.writeString(identity, "not the identity of a drive");
        var file = Files.writeString(folder.resolve("node.toml"), """
                [node]
                id = "target001"
                role = "target"
                listen = "127.0.0.1:0"
                url = "http://127.0.0.1:1"
                [drives]
                paths = ["%s"]
                [[cluster.nodes]]
                id = "target001"
                role = "target"
                url = "http://127.0.0.1:1"
                [auth]
                access_key = "a"
                secret_key = "s"
                cluster_key = "0123456789abcdef"
                """.formatted(drive));
        var config = ConfigFiles.node(file, Map.of());
        var before = System.err;
        var printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertThat(NodeHosting.alone(config).run(Nodes::factory)).isEqualTo(2);
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.contains("WARN")))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("sluice: target001: ")
                        .contains("drive.json")
                        .contains(drive.toString()));
    }
}
