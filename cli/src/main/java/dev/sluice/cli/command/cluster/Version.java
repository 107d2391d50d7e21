package dev.sluice.cli.command.cluster;

import dev.sluice.cli.process.Build;
import picocli.CommandLine.IVersionProvider;

/// The version and the commit of the build: `sluice 0.1.0 (commit 0123456789ab)`. The launcher of a source checkout
/// adds that it is one.
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"sluice " + Build.ofThis().text(System.getProperty("sluice.origin", ""))};
    }
}
