package dev.sluice.cli.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/// What these classes were built from.
public record Build(String version, String commit) {
    private static final Build THIS = read();

    public static Build ofThis() {
        return THIS;
    }

    private static Build read() {
        var build = new Properties();
        try (var file = Objects.requireNonNull(Build.class.getResourceAsStream("version.properties"))) {
            build.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Build(build.getProperty("version"), build.getProperty("commit"));
    }

    /// `0.1.0 (commit 0123456789ab)`
    @Override
    public String toString() {
        return text("");
    }

    /// @param origin what is said besides the commit; may be empty
    public String text(String origin) {
        return "%s (commit %s%s)".formatted(version, commit, origin.isEmpty() ? "" : ", " + origin);
    }
}
