package dev.sluice.common.http;

/// One node's answer to every request.
@FunctionalInterface
public interface HttpHandler {
    /// Called on an event loop: must not block; what needs to, returns [Blocking]. An exception is the
    /// handler's bug and becomes a 500.
    Answer answer(RequestHead head);
}
