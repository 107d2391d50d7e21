package dev.sluice.common.peer;

/// How a node is as a controller, as operators see it.
///
/// @param leads whether it takes commands
/// @param leader the controller that it follows, itself if it leads; empty when it hears none
/// @param reason why it takes no part; empty when it does
public record ControllerHealth(boolean leads, String leader, String reason) {}
