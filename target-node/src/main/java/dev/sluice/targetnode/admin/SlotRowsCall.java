package dev.sluice.targetnode.admin;

import dev.sluice.common.concurrent.AtOnce;
import dev.sluice.common.peer.HeldRows;
import dev.sluice.common.peer.SlotQuestion;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.health.Drives;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts what drives of this target have of slots.
final class SlotRowsCall {
    private static final Logger LOG = LoggerFactory.getLogger(SlotRowsCall.class);
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /// Of a slot on a drive: who has more has enough.
    private static final int MOST = 1 << 16;

    private SlotRowsCall() {}

    static List<HeldRows> answer(Drives drives, SlotQuestion question) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var reading = drives.reading();
        if (reading.isEmpty()) {
            return List.of();
        }
        return AtOnce.ask(reading, drive -> held(drive, question, end)).stream()
                .flatMap(List::stream)
                .toList();
    }

    /// What could be counted to its end.
    private static List<HeldRows> held(Drive drive, SlotQuestion question, long end) {
        var held = new ArrayList<HeldRows>();
        try {
            for (int first : question.firsts()) {
                drive.call(() -> count(drive, question, first, end))
                        .ifPresent(rows -> held.add(new HeldRows(drive.id(), first, rows)));
            }
        } catch (StoreException unreadable) {
            LOG.warn("the objects of drive {} cannot be counted: {}", drive.id(), unreadable.getMessage());
        }
        return held;
    }

    /// @return empty when the time is over
    private static Optional<Long> count(Drive drive, SlotQuestion question, int first, long end) throws IOException {
        long[] rows = {0};
        boolean[] late = {System.nanoTime() - end > 0};
        if (!late[0]) {
            drive.store().scanSlot(first, question.hashes(), Optional.empty(), (bucket, _, _, _) -> {
                rows[0] += question.buckets().contains(bucket) ? 1 : 0;
                late[0] = System.nanoTime() - end > 0;
                return rows[0] < MOST && !late[0];
            });
        }
        return late[0] ? Optional.empty() : Optional.of(rows[0]);
    }
}
