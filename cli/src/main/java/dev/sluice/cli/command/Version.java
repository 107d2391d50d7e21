package dev.sluice.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/// The version and the commit of the build: `sluice 0.1.0 (commit 0123456789ab)`. The launcher of a source checkout
/// adds
/// that it is one.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        var build = new Properties();
        try (var file = Objects.requireNonNull(Version.class.getResourceAsStream("version.properties"))) {
            build.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new String[] {
            text(build.getProperty("version"), build.getProperty("commit"), System.getProperty("sluice.origin", ""))
        };
    }

    static String text(String version, String commit, String origin) {
        return "sluice %s (commit %s%s)".formatted(version, commit, origin.isEmpty() ? "" : ", " + origin);
    }
}
