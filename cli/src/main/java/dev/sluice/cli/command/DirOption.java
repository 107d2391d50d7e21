package dev.sluice.cli.command;

import dev.sluice.cli.cluster.Layout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// `--dir`: which local cluster.
final class DirOption {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "The cluster's folder (default: $SLUICE_DIR, else ~/.sluice).")
    private @Nullable Path dir;

    boolean given() {
        return dir != null;
    }

    /// The same once more on another command's line.
    String repeated() {
        return dir == null ? "" : " --dir " + EnvCommand.quoted(dir.toString());
    }

    Layout layout(Installation installation) {
        var chosen = dir == null ? installation.defaultDir() : dir;
        return new Layout(chosen.toAbsolutePath().normalize());
    }
}
