package dev.sluice.backend;

/// What must hold at the cloud for a write to happen.
public sealed interface WriteCondition {
    WriteCondition NONE = new Always();

    record Always() implements WriteCondition {}

    record IfAbsent() implements WriteCondition {}

    /// @param version a [BackendObject#version]
    record IfVersion(String version) implements WriteCondition {}
}
