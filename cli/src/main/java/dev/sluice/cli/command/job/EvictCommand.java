package dev.sluice.cli.command.job;

import dev.sluice.cli.command.Confirmation;
import dev.sluice.cli.command.Installation;
import dev.sluice.cli.command.Specs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `sluice evict`
@Command(
        name = "evict",
        description = "Removes cached objects of a cloud bucket from the drives. The cloud keeps them.",
        footerHeading = Specs.EXAMPLES,
        footer = {
            "  sluice evict imagenet --dry-run",
            "  sluice evict imagenet/train/ --yes --wait",
            "  sluice evict imagenet --template 'train/shard-{0000..0127}.tar' --yes"
        })
public final class EvictCommand extends BucketJobCommand {
    @Option(
            names = {"-y", "--yes"},
            description = "Does not ask. Required without a terminal.")
    private boolean yes;

    public EvictCommand(Installation installation) {
        super(installation);
    }

    @Override
    String kind() {
        return "evict";
    }

    @Override
    void confirm(String selection) {
        if (!yes) {
            Confirmation.onTerminal()
                    .require(
                            "%s: this removes the cached objects from the drives; reads fetch them from the cloud again"
                                    .formatted(selection));
        }
    }
}
