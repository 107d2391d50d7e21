package dev.sluice.cli.doctor;

import dev.sluice.cli.api.NativeApi;
import dev.sluice.cli.config.NodeConfig;
import dev.sluice.cli.trust.Trust;
import java.util.List;

/// What may be looked at: this machine for nodes that run here or are to, and a cluster from outside.
public final class Doctor {
    private Doctor() {}

    /// @param nodes that run on this machine, or are to
    public static List<Finding> ofMachine(List<NodeConfig> nodes, Trust trust) {
        return new ThisMachine(nodes, trust).findings();
    }

    /// @param members as the cluster's map or its file names them
    public static List<Finding> ofCluster(List<NativeApi.Member> members, NativeApi api) {
        return new WholeCluster(members, api).findings();
    }
}
