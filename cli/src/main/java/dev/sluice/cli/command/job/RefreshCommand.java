package dev.sluice.cli.command.job;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import picocli.CommandLine.Command;

/// `sluice refresh`
@Command(
        name = "refresh",
        description =
                "Compares cached objects with the cloud's now: fetches what was overwritten there, removes from the"
                        + " drives what was deleted there.",
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice refresh imagenet --dry-run",
            "  sluice refresh imagenet/train/ --wait",
        })
public final class RefreshCommand extends BucketJobCommand {
    public RefreshCommand(Installation installation) {
        super(installation);
    }

    @Override
    String kind() {
        return "refresh";
    }

    /// Only what the cloud does not have is removed.
    @Override
    void confirm(String selection) {}
}
