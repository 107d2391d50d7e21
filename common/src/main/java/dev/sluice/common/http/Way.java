package dev.sluice.common.http;

import java.net.URI;

/// Where a relayed request goes, as far as is known at the time. Asked on event loops: never blocks.
public interface Way {
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

    /// Always the same node.
    static Way to(URI node, Headers extra) {
        var only = new Stage(node.getRawAuthority(), node, 0, extra);
        return new Way() {
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
