package dev.sluice.cli.command;

import picocli.CommandLine.Mixin;

/// A command on buckets or objects of the cluster that `--cluster` names.
public abstract class ObjectCommand extends ClusterCommand {
    @Mixin
    private final ClusterOptions cluster = new ClusterOptions();

    public ObjectCommand(Installation installation) {
        super(installation);
    }

    @Override
    public final ClusterOptions cluster() {
        return cluster;
    }
}
