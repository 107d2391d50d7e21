package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.command.Installation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `sluice cluster recover` refuses, with one line.
final class RecoverCommandTest {
    @TempDir
    private Path folder;

    private String refused(String... arguments) {
        var err = new StringWriter();
        int exit = Sluice.run(
                Installation.ofLauncher(Sluice.class, Map.of()),
                new PrintWriter(new StringWriter()),
                new PrintWriter(err),
                arguments);
        assertThat(exit).isEqualTo(2);
        return err.toString();
    }

    @Test
    void folderWithoutADriveIsRefused() {
        assertThat(refused("cluster", "recover")).contains("--from");
        assertThat(refused(
                        "cluster",
                        "recover",
                        "--yes",
                        "--from",
                        folder.resolve("none").toString()))
                .isEqualTo("sluice: %s is no folder%n".formatted(folder.resolve("none")));
        assertThat(refused("cluster", "recover", "--yes", "--from", folder.toString()))
                .startsWith("sluice: %s is no drive of a target".formatted(folder));
    }

    @Test
    void driveWithoutACopyIsRefusedAndLeftAsItIs() throws Exception {
        var own = Files.createDirectories(folder.resolve(".sluice"));
        Files.createFile(own.resolve("drive.json"));
        assertThat(refused("cluster", "recover", "--yes", "--from", folder.toString()))
                .isEqualTo(
                        "sluice: no copy of the controllers' log in %s can be used: no drive has .sluice/control/raft%n"
                                .formatted(folder));
        try (var files = Files.list(own)) {
            assertThat(files.map(file -> file.getFileName().toString()).toList())
                    .isSubsetOf(List.of("drive.json", "lock"));
        }
    }
}
