package dev.sluice.common.http;

import java.util.Optional;
import java.util.concurrent.Executor;

/// One node's answer to every request.
@FunctionalInterface
public interface HttpHandler {
    /// Called on an event loop: must not block; what needs to, returns [Blocking]. An exception is the
    /// handler's bug and becomes a 500.
    Answer answer(RequestHead head);

    /// Whether it must be answered even when there is no memory for further requests: what other nodes and operators
    /// need in order to see to the node. On an event loop.
    default boolean isVital(RequestHead head) {
        return false;
    }

    /// What each answer to this request says besides, also one of another node that it was relayed to, or one that the
    /// engine makes of a failure. On any thread. Must not throw.
    default Headers extraHeaders(RequestHead head) {
        return Headers.EMPTY;
    }

    /// Where blocking work of this request runs; empty: on a virtual thread of its own. A request that these refuse is
    /// answered as one that the node has no room for. On an event loop.
    default Optional<Executor> threads(RequestHead head) {
        return Optional.empty();
    }
}
