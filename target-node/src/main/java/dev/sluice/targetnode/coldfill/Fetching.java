package dev.sluice.targetnode.coldfill;

import java.util.concurrent.Executor;

/// How bytes of a cloud are taken.
///
/// @param digests a pool of about one thread per core, for MD5 and the like
/// @param parallel which objects are fetched over several connections
public record Fetching(Executor digests, ParallelFetch.Terms parallel) {
    public static Fetching with(Executor digests) {
        return new Fetching(digests, ParallelFetch.Terms.USUAL);
    }
}
