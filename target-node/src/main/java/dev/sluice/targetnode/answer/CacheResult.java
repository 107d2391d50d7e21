package dev.sluice.targetnode.answer;

/// Where the bytes of an answer come from: what `x-sluice-cache` says.
public enum CacheResult {
    /// A drive or memory here. Native buckets have nothing else.
    HIT("hit"),
    /// The cloud: this request began to fetch the object to a drive.
    MISS("miss"),
    /// The cloud: a fetch of the object was under way already.
    FILL("fill"),
    /// The cloud, and nothing is kept: a HEAD, no room on the drive, or a write of the key is under way.
    BYPASS("bypass");

    public static final String HEADER = "x-sluice-cache";

    private final String word;

    CacheResult(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }
}
