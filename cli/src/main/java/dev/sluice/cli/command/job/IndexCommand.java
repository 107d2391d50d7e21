package dev.sluice.cli.command.job;

import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import picocli.CommandLine.Command;

/// `sluice index`
@Command(
        name = "index",
        description = "Finds the samples of tar shards before they are asked for: reads each shard once. Of a cloud"
                + " bucket it fetches the shards first.",
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice index imagenet/train- --wait",
            "  sluice index shards --template 'train/shard-{0000..0127}.tar' --wait",
        })
public final class IndexCommand extends BucketJobCommand {
    public IndexCommand(Installation installation) {
        super(installation);
    }

    @Override
    String kind() {
        return "index";
    }

    /// It removes nothing.
    @Override
    void confirm(String selection) {}
}
