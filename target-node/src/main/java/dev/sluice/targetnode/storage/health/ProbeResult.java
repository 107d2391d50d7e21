package dev.sluice.targetnode.storage.health;

/// What a probe found.
///
/// @param reason empty when the drive is sound
record ProbeResult(Kind kind, String reason) {
    enum Kind {
        SOUND,
        /// It can be read, but not written.
        ONLY_READS,
        /// A new drive is in its place.
        REPLACED,
        FAILED
    }

    static final ProbeResult SOUND = new ProbeResult(Kind.SOUND, "");

    static ProbeResult onlyReads(String reason) {
        return new ProbeResult(Kind.ONLY_READS, reason);
    }

    static ProbeResult replaced(String reason) {
        return new ProbeResult(Kind.REPLACED, reason);
    }

    static ProbeResult failed(String reason) {
        return new ProbeResult(Kind.FAILED, reason);
    }
}
