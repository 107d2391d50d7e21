package dev.sluice.common.http;

import java.net.URI;
import java.util.Optional;

/// Where a relayed request goes, as far as is known at the time. Asked on event loops: never blocks.
public interface Route {
    /// A header of an answer with 503: the node is not the one that may serve this, and has looked at nothing of the
    /// request. So it can be sent elsewhere.
    String NOT_PRIMARY = "x-sluice-not-primary";

    /// One node to send it to.
    ///
    /// @param name of the node
    /// @param node scheme, host and port
    /// @param version of what this was decided from; a newer one may name another node
    /// @param extra header fields to add to the request
    record Stage(String name, URI node, long version, Headers extra) {}

    /// The node that has this now.
    Stage now();

    /// Whether another node may have this soon, so that it is worth a wait.
    boolean mayMove();

    /// Whether nothing can have come of the request before its node has asked for the body.
    boolean needsBody();

    /// Whether a node is known to be gone or to stand still: nothing more is to be expected from it.
    boolean isDown(Stage stage);

    /// A request by which a node shows a sign of life, whatever it answers.
    ///
    /// @param path with its query
    record Ping(String path, Headers headers) {}

    /// How a node is pinged. A read goes [#past] one that sends no head and answers no ping. Empty: it waits.
    default Optional<Ping> ping(Stage stage) {
        return Optional.empty();
    }

    /// The next node that can answer a read for one that is away. Each is named once, and is what [#now] says then.
    ///
    /// @return empty when there is none
    default Optional<Stage> past(Stage away) {
        return Optional.empty();
    }

    /// Always the same node.
    static Route to(URI node, Headers extra) {
        var only = new Stage(node.getRawAuthority(), node, 0, extra);
        return new Route() {
            @Override
            public Stage now() {
                return only;
            }

            @Override
            public boolean mayMove() {
                return false;
            }

            @Override
            public boolean needsBody() {
                return false;
            }

            @Override
            public boolean isDown(Stage stage) {
                return false;
            }
        };
    }
}
