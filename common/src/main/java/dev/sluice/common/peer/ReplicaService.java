package dev.sluice.common.peer;

import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import java.io.IOException;

/// What a target does for the other targets that keep the same slots.
public interface ReplicaService {
    /// Takes messages about slots. Waits for no drive.
    ///
    /// @throws IOException when they are malformed
    void messages(NodeId from, byte[] batch) throws IOException;

    /// An object's record and bytes. Blocks.
    Response content(QueryParameters query);
}
