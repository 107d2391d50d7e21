package dev.sluice.targetnode.replica.core;

/// What a learner copies that has not copied all of it yet.
///
/// @param source the drive that has it
public record Copying(Learning learning, String source) {}
