package dev.sluice.proxy.gateway;

/// What a node answers of itself. No bucket can have these names.
public final class NodePaths {
    public static final String HEALTH = "/health";
    public static final String READY = "/health/ready";
    public static final String CLUSTER_HEALTH = "/health/cluster";
    public static final String METRICS = "/metrics";

    private NodePaths() {}
}
