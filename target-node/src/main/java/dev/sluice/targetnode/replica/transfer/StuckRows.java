package dev.sluice.targetnode.replica.transfer;

import dev.sluice.targetnode.replica.loop.LocalReplica;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rows that learners pull again and again, and that do not come: each is named once in the log. On any thread.
final class StuckRows {
    private static final Logger LOG = LoggerFactory.getLogger(StuckRows.class);

    /// A target that starts, or one that is busy, refuses a few times.
    private static final int PATIENCE = 10;

    /// Of which the failures are counted.
    private static final int MOST = 4096;

    private record Row(LocalReplica replica, ObjectKey key) {}

    private final Map<Row, Integer> failures = new ConcurrentHashMap<>();

    void came(LocalReplica replica, ObjectKey key) {
        if (!failures.isEmpty()) {
            failures.remove(new Row(replica, key));
        }
    }

    void failed(LocalReplica replica, ObjectKey key, Exception why) {
        var row = new Row(replica, key);
        if (failures.size() >= MOST && !failures.containsKey(row)) {
            return;
        }
        if (failures.merge(row, 1, Integer::sum) == PATIENCE) {
            LOG.warn(
                    "'{}' of bucket {} cannot be copied to drive {}, which tries it again: {}",
                    key.key(),
                    key.bucketId(),
                    replica.loop().id(),
                    why.getMessage());
        }
    }

    /// How many there are now.
    long count() {
        failures.keySet().removeIf(row -> row.replica.loop().isClosed() || !row.replica.copiesSomething());
        return failures.values().stream().filter(times -> times >= PATIENCE).count();
    }
}
