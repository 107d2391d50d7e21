package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;

/// Modes of what an embedded cluster writes: all of it is for its owner only.
final class FileModes {
    private FileModes() {}

    /// Variables for a start by a shell whose mask takes nothing away.
    ///
    /// @param folder for the shell's file
    static Map<String, String> withoutMask(Path folder) throws IOException {
        var file = Files.writeString(folder.resolve("mask"), "umask 000\n");
        return Map.of("BASH_ENV", file.toString());
    }

    /// Path below the folder → its mode, as `ls` writes it of folders.
    static Map<String, String> in(Path folder) throws IOException {
        var modes = new TreeMap<String, String>();
        try (var files = Files.walk(folder)) {
            for (var file : files.toList()) {
                var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                modes.put(folder.relativize(file).toString(), Files.isDirectory(file) ? "d" + mode : mode);
            }
        }
        return modes;
    }

    /// @param run the modes in DIR/run
    static void requireRunOfOwner(Map<String, String> run) {
        assertThat(run)
                .containsOnly(
                        Map.entry("", "drwx------"),
                        Map.entry("cluster.json", "rw-------"),
                        Map.entry("cluster.ready", "rw-------"));
    }

    /// @param above a folder that `up` made, with the cluster's folder in it
    static void requireOwners(Path above) throws IOException {
        requireOnlyOwners(
                above,
                "cluster/keys.toml",
                "cluster/log/cluster.out",
                "cluster/log/cluster.log",
                "cluster/nodes/target001.toml",
                "cluster/lock");
    }

    /// @param some paths that are there
    static void requireOnlyOwners(Path folder, String... some) throws IOException {
        assertThat(in(folder))
                .containsKeys(some)
                .allSatisfy((path, mode) -> assertThat(mode).as(path).isIn("rw-------", "drwx------"));
    }
}
