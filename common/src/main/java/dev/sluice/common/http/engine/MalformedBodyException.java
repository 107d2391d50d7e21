package dev.sluice.common.http.engine;

import java.io.IOException;

/// The chunks of a request's body are malformed: the client's fault, whatever the handler makes of it.
final class MalformedBodyException extends IOException {
    MalformedBodyException(Throwable cause) {
        super("the request's body is malformed", cause);
    }
}
