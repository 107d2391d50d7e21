package dev.sluice.cli.command;

import picocli.CommandLine.Mixin;

/// A command on buckets or objects of the cluster that `--endpoint` names.
abstract class ObjectCommand extends ClusterCommand {
    @Mixin
    private final EndpointOptions endpoint = new EndpointOptions();

    ObjectCommand(Installation installation) {
        super(installation);
    }

    @Override
    final ClusterOptions cluster() {
        return endpoint;
    }
}
