package dev.sluice.targetnode.controller.raft;

import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;

/// Which log a server takes part in: Ratis' group. The server that begins the log draws the id. It is in the log's
/// folders and calls, so servers of two clusters, or of two lives of one, never vote or append for each other.
public record LogId(@JsonValue UUID value) {
    /// Of each log whose folders name none: earlier builds drew no id.
    public static final LogId UNNAMED = new LogId(UUID.nameUUIDFromBytes("sluice".getBytes(StandardCharsets.UTF_8)));

    public static LogId random() {
        return new LogId(UUID.randomUUID());
    }

    /// @throws IllegalArgumentException when it is none
    public static LogId of(String word) {
        return new LogId(UUID.fromString(word));
    }

    RaftGroupId group() {
        return RaftGroupId.valueOf(value);
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
