package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.BackendObject;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Which objects so much was read of, in ranges that were passed and not stored, that the whole is worth fetching: by
/// its third range within ten minutes, or by ranges that make a quarter of it. Remembers the last objects only.
final class ColdRanges {
    static final Duration SPAN = Duration.ofMinutes(10);
    static final int MOST_OBJECTS = 10_000;

    private static final int PASSED_AT_MOST = 2;
    private static final int SHARE = 4;

    private final LongSupplier millis;
    private final Map<Fills.Key, Passed> objects = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Fills.Key, Passed> eldest) {
            return size() > MOST_OBJECTS;
        }
    };

    /// The ranges of one version of an object.
    private record Passed(String version, long size, List<Range> ranges) {
        Passed since(long millis) {
            return new Passed(
                    version,
                    size,
                    ranges.stream().filter(range -> range.millis > millis).toList());
        }

        boolean isEnough(long more) {
            long bytes = ranges.stream().mapToLong(Range::length).sum() + more;
            return ranges.size() >= PASSED_AT_MOST || bytes >= Math.ceilDiv(size, SHARE);
        }
    }

    private record Range(long millis, long length) {}

    ColdRanges(LongSupplier millis) {
        this.millis = millis;
    }

    private Optional<Passed> recent(Fills.Key key) {
        return Optional.ofNullable(objects.get(key)).map(passed -> passed.since(millis.getAsLong() - SPAN.toMillis()));
    }

    /// Which version the earlier ranges were of, if any.
    synchronized Optional<String> version(Fills.Key key) {
        return recent(key).filter(passed -> !passed.ranges.isEmpty()).map(Passed::version);
    }

    /// Whether this range, which is asked for now, is one too many to be passed.
    synchronized boolean isEnough(Fills.Key key, ByteRange range) {
        return recent(key)
                .map(passed -> passed.isEnough(length(range, passed.size)))
                .orElse(false);
    }

    private static long length(ByteRange range, long size) {
        try {
            return range.resolve(size).length();
        } catch (StoreException.RangeNotSatisfiable _) {
            return 0; // the cloud says so, or has a larger one by now
        }
    }

    /// Counts a range that the cloud has begun to send.
    ///
    /// @return false when it is one too many to be passed; then it is not counted
    synchronized boolean pass(Fills.Key key, BackendObject object, long length) {
        var before = recent(key)
                .filter(passed -> passed.version.equals(object.version()))
                .orElse(new Passed(object.version(), object.size(), List.of()));
        if (before.isEnough(length)) {
            return false;
        }
        var ranges = new ArrayList<>(before.ranges);
        ranges.add(new Range(millis.getAsLong(), length));
        objects.put(key, new Passed(object.version(), object.size(), List.copyOf(ranges)));
        return true;
    }

    synchronized void forget(Fills.Key key) {
        objects.remove(key);
    }

    synchronized int count() {
        return objects.size();
    }
}
