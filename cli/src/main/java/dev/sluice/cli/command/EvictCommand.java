package dev.sluice.cli.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `sluice evict`
@Command(
        name = "evict",
        description = "Removes cached objects of a cloud bucket from the drives. The cloud keeps them.",
        footerHeading = Commands.EXAMPLES,
        footer = {
            "  sluice evict imagenet --dry-run",
            "  sluice evict imagenet/train/ --yes --wait",
            "  sluice evict imagenet --template 'train/shard-{0000..0127}.tar' --yes"
        })
final class EvictCommand extends BucketJobCommand {
    @Option(
            names = {"-y", "--yes"},
            description = "Does not ask. Required without a terminal.")
    private boolean yes;

    EvictCommand(Installation installation) {
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
