package dev.sluice.common.peer;

/// Where nodes ask each other. All under one prefix, all with a [PeerTokens] header.
public final class PeerPaths {
    public static final String PREFIX = "/v1/peer/";
    public static final String LIST = PREFIX + "list";
    public static final String LIST_CLOUD = PREFIX + "list-cloud";
    public static final String CHECK_BACKEND = PREFIX + "check-backend";
    public static final String SAMPLES = PREFIX + "samples";
    public static final String UPLOADS = PREFIX + "uploads";
    public static final String DELETE = PREFIX + "delete";
    public static final String EMPTY = PREFIX + "empty";
    public static final String USAGE = PREFIX + "usage";
    public static final String READS = PREFIX + "reads";
    public static final String EXPIRY = PREFIX + "expiry";
    public static final String HELD = PREFIX + "held";
    public static final String SCRUB = PREFIX + "scrub";
    public static final String RESILVER = PREFIX + "resilver";

    public static final String JOBS = PREFIX + "jobs";

    public static final String MOUNTPATHS = PREFIX + "mountpaths";
    public static final String MOUNTPATH = PREFIX + "mountpath";

    /// Between the replicas of a slot.
    public static final String REPLICA = PREFIX + "replica";

    /// Whether another target is heard. It is answered before anything that blocks.
    public static final String PING = PREFIX + "ping";

    /// Which of a target's drives can write now, with their incarnations.
    public static final String WRITABLE = PREFIX + "writable";

    public static final String REPLICA_CONTENT = PREFIX + "replica-content";

    /// The controller's.
    public static final String STATE = PREFIX + "state";

    public static final String COMMAND = PREFIX + "command";

    /// Between controllers: their log.
    public static final String RAFT = PREFIX + "raft";

    /// Between controllers: what each says of the targets and of itself.
    public static final String CONTROLLER = PREFIX + "controller";

    /// A target's beat. The controller answers it before anything that blocks.
    public static final String BEAT = PREFIX + "beat";

    private PeerPaths() {}
}
