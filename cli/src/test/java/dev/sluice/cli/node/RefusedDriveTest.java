package dev.sluice.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RefusedDriveTest {
    @TempDir
    private Path folder;

    @Test
    void aDriveThatMustNotBeUsedIsOneLineAndExitCodeTwo() throws IOException, InterruptedException {
        var drive = folder.resolve("target001");
        var identity = Files.createDirectories(drive.resolve(".sluice")).resolve("drive.json");
        Files.writeString(identity, "not the identity of a drive");
        var config = TargetConfig.of("target001", folder);
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
