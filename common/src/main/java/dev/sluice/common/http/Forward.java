package dev.sluice.common.http;

import java.net.URI;

/// Relay: the engine sends the same request (method, path, query, Host and all end-to-end headers, body, 100-continue)
/// to another node and its answer back, with back-pressure both ways and without ever holding a whole body. It follows
/// the way when that leads elsewhere meanwhile, as long as the request is surely not carried out.
public record Forward(Route route) implements Answer {
    /// @param node scheme, host and port of the node
    /// @param extra header fields to add to the request
    public Forward(URI node, Headers extra) {
        this(Route.to(node, extra));
    }

    @Override
    public Forward with(String name, String value) {
        return this;
    }
}
