package dev.sluice.common.http;

/// What becomes of a request: a response from here, or the request handed on to another node.
public sealed interface Answer permits Response, Forward {}
