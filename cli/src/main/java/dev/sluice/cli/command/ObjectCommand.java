package dev.sluice.cli.command;

import picocli.CommandLine.Mixin;

/// A command on buckets or objects of the cluster that `--cluster` names.
abstract class ObjectCommand extends ClusterCommand {
    @Mixin
    private final ClusterOptions cluster = new ClusterOptions();

    ObjectCommand(Installation installation) {
        super(installation);
    }

    @Override
    final ClusterOptions cluster() {
        return cluster;
    }
}
