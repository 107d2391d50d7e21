package dev.sluice.common.peer;

import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import java.io.IOException;
import java.util.SortedMap;

/// What a target does for the other targets that keep the same slots.
public interface ReplicaService {
    /// Takes messages about slots. Waits for no drive.
    ///
    /// @throws IOException when they are malformed
    void messages(NodeId from, byte[] batch) throws IOException;

    /// A batch of messages has arrived, and waits for a thread. Waits for nothing.
    ///
    /// @return to be run when it has one
    Runnable arrived();

    /// Another target asks whether it is heard. Waits for nothing.
    ///
    /// @return false when batches of messages wait for long: a process that is starved is not to count as heard
    boolean ping(NodeId from);

    /// The drives of this target to which something was just written durably, with their incarnations. Waits for them,
    /// for less than half a second.
    SortedMap<String, Integer> writable();

    /// An object's record and bytes. Blocks.
    Response content(QueryParameters query);
}
