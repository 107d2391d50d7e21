package dev.sluice.common.http;

import java.util.Optional;

/// One node's answer to every request. An exception from either method is the handler's bug and becomes a 500.
public interface HttpHandler {
    /// Called on an event loop for every request: must not block. Empty when the answer needs a drive, a peer or the
    /// body.
    Optional<Answer> answerNow(RequestHead head);

    /// Called on a virtual thread when [#answerNow] was empty: may block.
    Answer handle(Request request);
}
