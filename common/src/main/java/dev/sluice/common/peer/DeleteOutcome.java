package dev.sluice.common.peer;

import java.util.Optional;

/// What became of one key of a DeleteObjects.
public record DeleteOutcome(String key, Optional<PeerFailure> failure) {}
