package dev.sluice.cli.command;

import picocli.CommandLine.Command;

/// `sluice refresh`
@Command(
        name = "refresh",
        description =
                "Compares cached objects with the cloud's now: fetches what was overwritten there, removes from the"
                        + " drives what was deleted there.",
        footerHeading = Commands.EXAMPLES,
        footer = {
            "  sluice refresh imagenet --dry-run",
            "  sluice refresh imagenet/train/ --wait",
        })
final class RefreshCommand extends BucketJobCommand {
    RefreshCommand(Installation installation) {
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
