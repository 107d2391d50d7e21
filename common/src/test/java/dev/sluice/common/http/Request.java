package dev.sluice.common.http;

/// A request as a blocking test handler wants to see it.
public record Request(RequestHead head, ByteSource body) {}
