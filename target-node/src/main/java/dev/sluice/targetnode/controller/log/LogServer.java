package dev.sluice.targetnode.controller.log;

import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.raft.LogId;
import java.util.Optional;

/// What a controller says to the others of its place in the log, several times a second.
///
/// @param server id of the Raft server that it has open
/// @param log that the server is of. Earlier builds do not say it: they know [LogId#UNNAMED] only
/// @param holding whether its drives have a part of a log
/// @param leader that it follows, as far as it knows
/// @param term of Raft; 0 for none
/// @param leads whether it takes commands
/// @param leaving whether its drive is to go, and it waits for its turn to move to another one
public record LogServer(
        Optional<String> server,
        Optional<LogId> log,
        Holding holding,
        Optional<NodeId> leader,
        long term,
        boolean leads,
        boolean leaving) {
    public LogServer(
            Optional<String> server,
            Optional<LogId> log,
            Holding holding,
            Optional<NodeId> leader,
            long term,
            boolean leads) {
        this(server, log, holding, leader, term, leads, false);
    }

    public LogServer {
        log = log.or(() -> server.map(_ -> LogId.UNNAMED));
    }

    LogServer withLeaving(boolean leaves) {
        return new LogServer(server, log, holding, leader, term, leads, leaves);
    }

    public enum Holding {
        SOME,

        /// Every drive was there and looked at.
        NONE,

        UNKNOWN
    }

    public Leadership leadership() {
        return new Leadership(term, leader);
    }
}
