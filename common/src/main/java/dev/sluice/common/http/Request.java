package dev.sluice.common.http;

/// A request as a blocking handler sees it. Reading the body is what makes the engine send `100 Continue`.
public record Request(RequestHead head, ByteSource body) {}
