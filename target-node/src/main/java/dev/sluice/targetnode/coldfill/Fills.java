package dev.sluice.targetnode.coldfill;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The fills under way, one for each object, and the writes that overrule them.
///
/// A fill may store what it fetched only when no write of its key was under way at any time since it asked the cloud:
/// else the old version could come back over the new one.
public final class Fills {
    record Key(long bucketId, String key) {}

    private final Map<Key, Fill> running = new HashMap<>();
    private final Map<Key, Integer> writing = new HashMap<>();

    /// The fill that is under way, or a new one.
    ///
    /// @param start makes and starts a fill
    synchronized Fill joinOrStart(Key key, Function<Key, Fill> start) {
        var fill = running.get(key);
        if (fill == null) {
            fill = start.apply(key);
            running.put(key, fill);
            if (writing.containsKey(key)) {
                fill.supersede();
            }
        }
        return fill;
    }

    synchronized void ended(Key key) {
        running.remove(key);
    }

    synchronized int count() {
        return running.size();
    }

    interface Write extends AutoCloseable {
        @Override
        void close();
    }

    /// From before the cloud is told of a write until the local copy is settled.
    synchronized Write write(Key key) {
        writing.merge(key, 1, Integer::sum);
        Optional.ofNullable(running.get(key)).ifPresent(Fill::supersede);
        return () -> {
            synchronized (this) {
                writing.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
            }
        };
    }
}
