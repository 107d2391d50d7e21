package dev.sluice.targetnode.storage.health;

import java.time.Instant;

/// @param reason empty when there is none to tell
public record DriveStatus(DriveState state, String reason, Instant since) {}
