package dev.sluice.targetnode.storage.health;

/// What a probe found.
///
/// @param reason empty when the drive is sound
record Verdict(Kind kind, String reason) {
    enum Kind {
        SOUND,
        /// It can be read, but not written.
        ONLY_READS,
        /// A new drive is in its place.
        REPLACED,
        FAILED
    }

    static final Verdict SOUND = new Verdict(Kind.SOUND, "");

    static Verdict onlyReads(String reason) {
        return new Verdict(Kind.ONLY_READS, reason);
    }

    static Verdict replaced(String reason) {
        return new Verdict(Kind.REPLACED, reason);
    }

    static Verdict failed(String reason) {
        return new Verdict(Kind.FAILED, reason);
    }
}
