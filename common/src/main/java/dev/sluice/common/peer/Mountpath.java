package dev.sluice.common.peer;

/// A target's drive as operators see it.
///
/// @param path where it was last; empty when another drive took its place
/// @param weight its share of the target's objects
/// @param leaving whether it was detached, and what it has is being moved
/// @param state `starting`, `serving`, `read-only`, `out` or `disabled`
/// @param reason for the state; empty when there is none to tell
/// @param since in milliseconds since 1970
/// @param errors I/O errors since the target's start
/// @param probes since the target's start
public record Mountpath(
        String path,
        String id,
        long weight,
        boolean leaving,
        String state,
        String reason,
        long since,
        long errors,
        long probes) {}
