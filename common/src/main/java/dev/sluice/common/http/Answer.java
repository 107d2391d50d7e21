package dev.sluice.common.http;

/// What becomes of a request: a response from here, the request handed on to another node, or work that may block.
public sealed interface Answer permits Response, Forward, Blocking {
    /// With a header field more. What another node answers stays as it is.
    Answer with(String name, String value);
}
