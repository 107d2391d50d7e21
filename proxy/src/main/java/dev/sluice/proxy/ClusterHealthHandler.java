package dev.sluice.proxy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.function.Supplier;

/// `GET /health/cluster`: 200 when every slot of the replicated buckets is served with all its replicas in-sync, else
/// 503; with the numbers of slots by state. As the node that is asked knows it.
public final class ClusterHealthHandler implements HttpHandler {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeId self;
    private final Supplier<SlotCounts> slots;

    /// @param slots in the newest state that the node knows; says Unavailable while it knows none. Must not block
    public ClusterHealthHandler(NodeId self, Supplier<SlotCounts> slots) {
        this.self = self;
        this.slots = slots;
    }

    @Override
    public Answer answer(RequestHead head) {
        var json = JSON.createObjectNode().put("id", self.value());
        boolean full = false;
        try {
            var counts = slots.get();
            full = counts.allFull();
            json.set("slots", JSON.valueToTree(counts));
        } catch (StoreException.Unavailable notYet) {
            json.put("reason", notYet.getMessage());
        }
        var response = Response.text(full ? 200 : 503, "application/json", json.toString());
        return full ? response : response.with("Retry-After", "1");
    }
}
