package dev.sluice.targetnode.answer;

import dev.sluice.common.http.Headers;

/// Where the bytes of an answer come from: what `x-sluice-cache` says, and `X-Cache` in capitals.
public enum CacheResult {
    /// A drive or memory here. Native buckets have nothing else.
    HIT("hit"),
    /// The cloud: this request began to fetch the object to a drive.
    MISS("miss"),
    /// The cloud: a fetch of the object was under way already.
    FILL("fill"),
    /// The cloud, and nothing is kept: a HEAD, no room on the drive, or a write of the key is under way.
    BYPASS("bypass");

    private static final String HEADER = "x-sluice-cache";
    /// What proxies and caches in front of web servers say, so that tools know it. Cached buckets only.
    private static final String WELL_KNOWN_HEADER = "X-Cache";

    private final String word;

    CacheResult(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /// @param cached whether the bucket is a cached one
    void addTo(Headers.Builder headers, boolean cached) {
        headers.add(HEADER, word);
        if (cached) {
            headers.add(WELL_KNOWN_HEADER, name());
        }
    }
}
