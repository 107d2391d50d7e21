package dev.sluice.proxy.gateway;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ControllerHealth;
import dev.sluice.common.peer.Mountpath;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// `GET /health`: 200 once the node serves, 503 with the reason before; with the drives that do not serve, and how it
/// is as a controller. `GET /health/ready` is the same under a stricter condition. For load balancers and
/// the launcher.
public final class HealthHandler implements HttpHandler {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeId self;
    private final String version;
    private final Supplier<Optional<String>> whyNot;
    private final Supplier<List<Mountpath>> drives;
    private final Supplier<Optional<ControllerHealth>> controller;

    /// @param version of what the node runs, and the commit
    /// @param whyNot what keeps the node from serving; empty when nothing does. Must not block
    /// @param drives of the node. Must not block
    /// @param controller empty where the node is none. Must not block
    public HealthHandler(
            NodeId self,
            String version,
            Supplier<Optional<String>> whyNot,
            Supplier<List<Mountpath>> drives,
            Supplier<Optional<ControllerHealth>> controller) {
        this.self = self;
        this.version = version;
        this.drives = drives;
        this.controller = controller;
        this.whyNot = whyNot;
    }

    @Override
    public Answer answer(RequestHead head) {
        var reason = whyNot.get();
        var json = JSON.createObjectNode()
                .put("id", self.value())
                .put("version", version)
                .put("ready", reason.isEmpty());
        reason.ifPresent(why -> json.put("reason", why));
        var unfit = json.putArray("drives");
        for (var drive : drives.get()) {
            if (!drive.state().equals("online")) {
                unfit.add(JSON.valueToTree(drive));
            }
        }
        controller.get().ifPresent(health -> json.set("controller", JSON.valueToTree(health)));
        var response = Response.text(reason.isEmpty() ? 200 : 503, "application/json", json.toString());
        return reason.isEmpty() ? response : response.with("Retry-After", "1");
    }
}
