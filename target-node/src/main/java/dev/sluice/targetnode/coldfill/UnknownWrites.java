package dev.sluice.targetnode.coldfill;

import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// The keys whose last write the cloud may still carry out: the call broke off, and what it sent is under way. For a
/// minute nothing is stored of them. Otherwise a read past this target would see the write when it lands, and the next
/// one here the object that was fetched before that.
///
/// In memory. A target leaves a mark on a drive before it first writes a key of it to a cloud, and takes it away when
/// it stops in order and has none of these. One that finds the mark begins as if each key were one of them ([#all]),
/// and one that has too many to remember goes on so.
final class UnknownWrites {
    /// Tests of whole clusters set less, by the property `sluice.unknown_write_seconds`.
    static final Duration KEPT = Duration.ofSeconds(Integer.getInteger("sluice.unknown_write_seconds", 60));

    /// Of at most a KiB each.
    private static final int MOST = 10_000;

    private final NanoClock clock;
    private final int most;
    private final Map<Fills.Key, Long> since = new LinkedHashMap<>(); // the oldest first
    private boolean all;
    private long allSince;

    UnknownWrites(NanoClock clock) {
        this(clock, MOST);
    }

    UnknownWrites(NanoClock clock, int most) {
        this.clock = clock;
        this.most = most;
    }

    synchronized void add(Fills.Key key) {
        forget();
        since.remove(key);
        if (since.size() < most) {
            since.put(key, clock.nanos());
        } else {
            all();
        }
    }

    /// From now on, and for a minute, whatever the key.
    synchronized void all() {
        since.clear();
        all = true;
        allSince = clock.nanos();
    }

    synchronized boolean contains(Fills.Key key) {
        if (!all && since.isEmpty()) {
            return false; // nearly always
        }
        forget();
        return all || since.containsKey(key);
    }

    synchronized boolean containsAll() {
        forget();
        return all;
    }

    /// For how long a key is still one of them.
    synchronized Duration left(Fills.Key key) {
        if (!contains(key)) {
            return Duration.ZERO;
        }
        long from = all ? allSince : since.get(key);
        return KEPT.minusNanos(clock.nanos() - from);
    }

    synchronized boolean isEmpty() {
        forget();
        return !all && since.isEmpty();
    }

    private void forget() {
        long now = clock.nanos();
        all = all && now - allSince < KEPT.toNanos();
        var oldest = since.values().iterator();
        while (oldest.hasNext() && now - oldest.next() >= KEPT.toNanos()) {
            oldest.remove();
        }
    }
}
