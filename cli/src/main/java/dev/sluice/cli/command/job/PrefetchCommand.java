package dev.sluice.cli.command.job;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import picocli.CommandLine.Command;

/// `sluice prefetch`
@Command(
        name = "prefetch",
        description = "Fetches objects of a cloud bucket onto the drives before they are asked for.",
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice prefetch imagenet --dry-run",
            "  sluice prefetch imagenet/train/ --wait",
            "  sluice prefetch imagenet --template 'train/shard-{0000..0127}.tar' --wait"
        })
public final class PrefetchCommand extends BucketJobCommand {
    public PrefetchCommand(Installation installation) {
        super(installation);
    }

    @Override
    String kind() {
        return "prefetch";
    }

    /// It removes nothing.
    @Override
    void confirm(String selection) {}
}
