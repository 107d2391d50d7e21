package dev.sluice.cli.command;

import dev.sluice.cli.cluster.Layout;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// `--dir`: which local cluster.
public final class DirOption {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "The cluster's folder (default: $SLUICE_DIR, else ~/.sluice).")
    private @Nullable Path dir;

    public boolean given() {
        return dir != null;
    }

    /// The same once more on another command's line.
    public String repeated() {
        return dir == null ? "" : " --dir " + quoted(dir.toString());
    }

    public Layout layout(Installation installation) {
        var chosen = dir == null ? installation.defaultDir() : dir;
        return new Layout(chosen.toAbsolutePath().normalize());
    }

    /// For any POSIX shell: within single quotes nothing is special but the quote itself.
    public static String quoted(String value) {
        return "'" + value.replace("'", "'\\''") + "'";
    }
}
