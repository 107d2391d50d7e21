package dev.sluice.bench;

import dev.sluice.bench.load.Workload;
import dev.sluice.bench.workload.KeySpace;
import dev.sluice.bench.workload.Listing;
import dev.sluice.bench.workload.RandomKeys;
import dev.sluice.bench.workload.RandomKeys.Shares;

/// What a bench measures.
enum Operation {
    GET,
    PUT,
    HEAD,
    LIST,
    MIXED;

    private static final int HEADS_OF_MIXED = 10;

    /// Whether the objects must be there first.
    boolean needsObjects() {
        return this != PUT;
    }

    Workload workload(KeySpace keys, boolean freshKeys, int putPercent, long seed) {
        return switch (this) {
            case LIST -> new Listing(keys);
            case GET -> new RandomKeys(keys, new Shares(0, 0), freshKeys, seed);
            case HEAD -> new RandomKeys(keys, new Shares(0, 100), freshKeys, seed);
            case PUT -> new RandomKeys(keys, new Shares(100, 0), freshKeys, seed);
            case MIXED -> new RandomKeys(keys, new Shares(putPercent, HEADS_OF_MIXED), freshKeys, seed);
        };
    }
}
