package dev.sluice.targetnode.storage.resilver;

import dev.sluice.common.peer.ResilverFailure;
import java.util.ArrayList;
import java.util.List;

/// The objects that could not be moved, until they are. Only the newest are kept; the others are counted.
final class Failures {
    static final int KEPT = 100;
    private static final int LONGEST = 2_000;

    private final List<ResilverFailure> kept = new ArrayList<>(); // newest last
    private long inAll;
    private long forgotten;

    synchronized void add(String bucket, String key, String why, long nowMillis) {
        inAll++;
        remove(bucket, key);
        kept.add(new ResilverFailure(bucket, key, why.substring(0, Math.min(why.length(), LONGEST)), nowMillis));
        if (kept.size() > KEPT) {
            kept.removeFirst();
            forgotten++;
        }
    }

    synchronized void remove(String bucket, String key) {
        kept.removeIf(each -> each.key().equals(key) && each.bucket().equals(bucket));
    }

    /// Everything is to be tried again, or has been done.
    synchronized void clear() {
        kept.clear();
        forgotten = 0;
    }

    /// Since the start of this process.
    synchronized long inAll() {
        return inAll;
    }

    synchronized long total() {
        return kept.size() + forgotten;
    }

    synchronized List<ResilverFailure> latest() {
        return List.copyOf(kept.reversed());
    }
}
