package dev.sluice.proxy.gateway;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.cluster.slots.SlotCounts;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.store.StoreException;
import java.util.Set;
import java.util.function.Supplier;

/// `GET /health/cluster`: 200 when every slot of the replicated buckets is served with all its replicas in-sync, else
/// 503; with the numbers of slots by state, what they survive and wait for, and the targets that are muted. As the node
/// that is asked knows it.
public final class ClusterHealthHandler implements HttpHandler {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeId self;
    private final Supplier<SlotCounts> slots;
    private final Supplier<Set<NodeId>> muted;

    /// Both of the newest state that the node knows; they say Unavailable while it knows none, and never block.
    ///
    /// @param muted targets of which most others hear nothing
    public ClusterHealthHandler(NodeId self, Supplier<SlotCounts> slots, Supplier<Set<NodeId>> muted) {
        this.self = self;
        this.slots = slots;
        this.muted = muted;
    }

    @Override
    public Answer answer(RequestHead head) {
        var json = JSON.createObjectNode().put("id", self.value());
        boolean full = false;
        try {
            var counts = slots.get();
            full = counts.allFull();
            json.set("slots", JSON.valueToTree(counts));
            json.set("muted", JSON.valueToTree(muted.get()));
        } catch (StoreException.Unavailable notYet) {
            json.put("reason", notYet.getMessage());
        }
        var response = Response.text(full ? 200 : 503, "application/json", json.toString());
        return full ? response : response.with("Retry-After", "1");
    }
}
