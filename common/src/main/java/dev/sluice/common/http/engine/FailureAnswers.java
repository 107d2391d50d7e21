package dev.sluice.common.http.engine;

import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.store.StoreException;

/// What a client is told when an answer could not be made. Called on an event loop: must not block. The engine has
/// logged the failure already.
public interface FailureAnswers {
    FailureAnswers PLAIN = new FailureAnswers() {};

    /// The handler threw, or the first bytes of its answer could not be had.
    default Response failed(RequestHead head, Throwable cause) {
        return switch (cause) {
            case StoreException.Unavailable _,
                    StoreException.NotPrimary _,
                    StoreException.DriveFailed _,
                    StoreException.BackendUnavailable _ -> unavailable(head, "The service cannot answer now.");
            default -> plain(500, Headers.EMPTY, "Internal error. Request id: " + head.requestId() + "\n");
        };
    }

    /// The node that a request was relayed to could not be reached, or broke off before it answered.
    ///
    /// @param unknown whether the request may have been carried out
    default Response unreachable(RequestHead head, boolean unknown) {
        return unavailable(
                head,
                unknown
                        ? "The node that has this broke off: it is not known whether the request was carried out."
                        : "The node that has this cannot be reached.");
    }

    private static Response unavailable(RequestHead head, String message) {
        return plain(503, Headers.of("Retry-After", "1"), message + " Request id: " + head.requestId() + "\n");
    }

    private static Response plain(int status, Headers headers, String message) {
        return Response.of(status, headers.with("Content-Type", "text/plain"), ResponseBody.text(message));
    }
}
