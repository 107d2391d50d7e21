package dev.sluice.proxy.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Role;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.MountpathChange;
import dev.sluice.common.peer.TargetService;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.proxy.gateway.Targets;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/// AIStore's calls on the drives of one target: `what=mountpaths`, `attach-mp`, `detach-mp` (with `lost=true`, which is
/// ours), `enable-mp`, `disable-mp`. At `/v1/reverse/daemon` the
/// header `Ais-Node-Id` names the target; at `/v1/daemon` it is the node that is asked.
public final class MountpathApi {
    static final Set<String> LOOKS = Set.of("/v1/daemon", "/v1/reverse/daemon");
    static final Set<String> CHANGES = Set.of("/v1/daemon/mountpaths", "/v1/reverse/daemon/mountpaths");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<MountpathChange, String> METHODS = Map.of(
            MountpathChange.ATTACH, "PUT",
            MountpathChange.DETACH, "DELETE",
            MountpathChange.DETACH_LOST, "DELETE");
    private static final Set<String> UNUSED = Set.of("offline", "disabled");

    private final NodeId self;
    private final ClusterViews views;
    private final Targets targets;

    public MountpathApi(NodeId self, ClusterViews views, Targets targets) {
        this.self = self;
        this.views = views;
        this.targets = targets;
    }

    /// AIStore's three lists of paths, and each drive's state under `drives`.
    ObjectNode show(RequestHead head) {
        var json = JSON.createObjectNode();
        var available = json.putArray("available");
        var leaving = json.putArray("waiting_dd");
        var disabled = json.putArray("disabled");
        var drives = json.putArray("drives");
        for (var drive : target(head).mountpaths()) {
            (UNUSED.contains(drive.state()) ? disabled : drive.leaving() ? leaving : available).add(drive.path());
            drives.add(JSON.valueToTree(drive));
        }
        return json;
    }

    /// @return what was done, for people
    public ObjectNode change(RequestHead head, JsonNode message) throws IOException {
        var drive = message.path("value");
        if (!drive.isTextual()) {
            throw new IOException("expected a body {\"action\": \"disable-mp\", \"value\": \"PATH\"}");
        }
        var action = message.path("action").asText();
        var change = switch (action) {
            case "attach-mp" -> MountpathChange.ATTACH;
            case "detach-mp" ->
                QueryParameters.of(head.query()).text("lost").equals("true")
                        ? MountpathChange.DETACH_LOST
                        : MountpathChange.DETACH;
            case "enable-mp" -> MountpathChange.ENABLE;
            case "disable-mp" -> MountpathChange.DISABLE;
            default -> throw new S3Failure(S3Code.NOT_IMPLEMENTED, action + " is not served");
        };
        if (!METHODS.getOrDefault(change, "POST").equals(head.method())) {
            throw new S3Failure(S3Code.METHOD_NOT_ALLOWED, head.method() + " is not for " + action);
        }
        return JSON.createObjectNode().put("done", target(head).changeMountpath(change, drive.asText()));
    }

    private TargetService target(RequestHead head) {
        var id = head.path().startsWith("/v1/reverse")
                ? head.headers().first("Ais-Node-Id").orElse("")
                : self.value();
        return views.current().state().map().nodes().values().stream()
                .filter(node -> node.role() == Role.TARGET && node.id().value().equals(id))
                .findFirst()
                .map(targets::of)
                .orElseThrow(() -> new S3Failure(S3Code.NO_SUCH_NODE, "'" + id + "' is not a target of this cluster"));
    }
}
