package dev.sluice.proxy;

import dev.sluice.common.http.Answer;
import dev.sluice.common.http.HttpHandler;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.NodeId;
import java.util.Optional;
import java.util.function.Supplier;

/// `GET /health`: 200 once the node serves, 503 with the reason before. For load balancers and the launcher.
public final class HealthHandler implements HttpHandler {
    private final NodeId self;
    private final Supplier<Optional<String>> whyNot;

    /// @param whyNot what keeps the node from serving; empty when nothing does. Must not block
    public HealthHandler(NodeId self, Supplier<Optional<String>> whyNot) {
        this.self = self;
        this.whyNot = whyNot;
    }

    @Override
    public Answer answer(RequestHead head) {
        var reason = whyNot.get();
        var json = reason.isEmpty()
                ? "{\"id\":\"%s\",\"ready\":true}".formatted(self)
                : "{\"id\":\"%s\",\"ready\":false,\"reason\":\"%s\"}".formatted(self, reason.get());
        var response = Response.text(reason.isEmpty() ? 200 : 503, "application/json", json);
        return reason.isEmpty() ? response : response.with("Retry-After", "1");
    }
}
