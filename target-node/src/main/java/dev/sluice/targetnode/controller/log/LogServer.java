package dev.sluice.targetnode.controller.log;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.common.cluster.Leadership;
import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.raft.LogId;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a controller says to the others of its place in the log, several times a second.
///
/// @param server id of the Raft server that it has open
/// @param log that the server is of. Earlier builds do not say it: they know [LogId#UNNAMED] only
/// @param holding whether its drives have a part of a log
/// @param leader that it follows, as far as it knows
/// @param term of Raft; 0 for none
/// @param leads whether it takes commands
/// @param leaving whether its drive is to go, and it waits for its turn to move to another one
/// @param barred logs that were replaced by others, as far as it knows: no server of one takes part any more
public record LogServer(
        Optional<String> server,
        Optional<LogId> log,
        Holding holding,
        Optional<NodeId> leader,
        long term,
        boolean leads,
        boolean leaving,
        Set<LogId> barred) {
    public LogServer(
            Optional<String> server,
            Optional<LogId> log,
            Holding holding,
            Optional<NodeId> leader,
            long term,
            boolean leads) {
        this(server, log, holding, leader, term, leads, false, Set.of());
    }

    public LogServer {
        log = log.or(() -> server.map(_ -> LogId.UNNAMED));
        barred = Set.copyOf(barred);
    }

    /// @param barred missing in what earlier builds say
    @JsonCreator
    static LogServer read(
            @JsonProperty("server") Optional<String> server,
            @JsonProperty("log") Optional<LogId> log,
            @JsonProperty("holding") Holding holding,
            @JsonProperty("leader") Optional<NodeId> leader,
            @JsonProperty("term") long term,
            @JsonProperty("leads") boolean leads,
            @JsonProperty("leaving") boolean leaving,
            @JsonProperty("barred") @Nullable Set<LogId> barred) {
        return new LogServer(server, log, holding, leader, term, leads, leaving, barred == null ? Set.of() : barred);
    }

    LogServer with(boolean leaves, Set<LogId> known) {
        return new LogServer(server, log, holding, leader, term, leads, leaves, known);
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
