package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.SluiceCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;

/// Modes of all that a cluster writes, started by a shell whose mask takes nothing away.
final class FileModesTest {
    private static final String KEY = "folder/k";

    @TempDir
    private Path folder;

    private Path dir = Path.of("");
    private Path drives = Path.of("");

    @BeforeEach
    void choose() {
        dir = folder.resolve("above/cluster");
        drives = folder.resolve("disk");
    }

    @Test
    void everythingIsForTheOwnerOnlyWhateverTheMask() throws IOException {
        assertThat(run(""))
                .containsOnly(
                        Map.entry("", "drwx------"),
                        Map.entry("cluster.json", "rw-------"),
                        Map.entry("cluster.ready", "rw-------"));
        assertThat(modes(folder.resolve("above")))
                .containsKeys("cluster/keys.toml", "cluster/log/cluster.out")
                .containsKeys("cluster/log/cluster.log", "cluster/nodes/target001.toml", "cluster/lock")
                .allSatisfy((path, mode) -> assertThat(mode).as(path).isIn("rw-------", "drwx------"));
        assertThat(modes(drives.resolve("target001")))
                .containsKeys("objects/modes/" + KEY, ".sluice/index/CURRENT")
                .allSatisfy((path, mode) -> assertThat(mode).as(path).isIn("rw-------", "drwx------"));
    }

    @Tag("long")
    @Test
    void fileModeOpensTheDrivesAndNotTheSettings() throws IOException {
        run("file_mode = \"0640\"");
        assertThat(modes(dir))
                .containsEntry("", "drwx------")
                .containsEntry("keys.toml", "rw-------")
                .containsEntry("sluice.toml", "rw-------")
                .containsEntry("log", "drwx------")
                .containsEntry("run", "drwx------");
        assertThat(modes(drives.resolve("target001")))
                .containsEntry("", "drwxr-x---")
                .containsEntry("objects/modes/folder", "drwxr-x---")
                .containsEntry("objects/modes/" + KEY, "rw-r-----");
        assertThat(modes(drives.resolve("target001")).values()).isSubsetOf("rw-------", "rw-r-----", "drwxr-x---");
    }

    /// A cluster comes, stores an object and goes.
    ///
    /// @return the modes in DIR/run, whose files go with it
    private Map<String, String> run(String setting) throws IOException {
        Files.createDirectory(drives);
        var settings = Files.writeString(
                folder.resolve("mine.toml"),
                "[cluster]%ntargets = 1%ndrives = 1%ndrive_roots = [\"%s\"]%n[storage]%n%s%n"
                        .formatted(drives, setting));
        var environment = Map.of(
                "BASH_ENV",
                Files.writeString(folder.resolve("mask"), "umask 000\n").toString());
        try (var cluster = SluiceCluster.start(dir, environment, "--config", settings.toString());
                var s3 = cluster.endpoint().client()) {
            s3.createBucket(request -> request.bucket("modes"));
            s3.putObject(request -> request.bucket("modes").key(KEY), RequestBody.fromString("bytes"));
            return modes(dir.resolve("run"));
        }
    }

    /// Path below the folder → its mode, as `ls` writes it of folders.
    private static Map<String, String> modes(Path folder) throws IOException {
        var modes = new TreeMap<String, String>();
        try (var files = Files.walk(folder)) {
            for (var file : files.toList()) {
                var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                modes.put(folder.relativize(file).toString(), Files.isDirectory(file) ? "d" + mode : mode);
            }
        }
        return modes;
    }
}
