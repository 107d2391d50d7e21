package dev.sluice.targetnode.replica;

import dev.sluice.common.placement.Slot;
import dev.sluice.common.s3.listing.KeyOrder;
import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.record.ObjectKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongToIntFunction;

/// What one drive has, by slot of a group: its rows, and the intents that were open when this was made.
final class SlotPages {
    static final Comparator<ObjectKey> ORDER =
            Comparator.comparingLong(ObjectKey::bucketId).thenComparing(ObjectKey::key, KeyOrder.INSTANCE);

    private static final int MOST_ROWS = 1000;

    private final Drive drive;
    private final LongToIntFunction groups;
    private final Map<Integer, List<OpenIntent>> open = new HashMap<>();

    /// @param groups bucket id → group; 0 for none
    SlotPages(Drive drive, LongToIntFunction groups) {
        this.drive = drive;
        this.groups = groups;
        for (var intent : drive.openIntents()) {
            open.computeIfAbsent(Slot.of(intent.bucketId(), intent.key()), _ -> new ArrayList<>())
                    .add(new OpenIntent(
                            new ObjectKey(intent.bucketId(), intent.key()), intent.version(), intent.deletion()));
        }
    }

    List<OpenIntent> open(int group, int slot) {
        return open.getOrDefault(slot, List.of()).stream()
                .filter(intent -> groups.applyAsInt(intent.key().bucketId()) == group)
                .toList();
    }

    /// On a drive thread.
    Page page(int group, int slot, KeyRange range) throws IOException {
        var rows = new ArrayList<KeyVersion>();
        drive.contents().scanSlot(slot, (bucketId, name, version, _) -> {
            var key = new ObjectKey(bucketId, name);
            if (rows.size() <= MOST_ROWS && groups.applyAsInt(bucketId) == group && range.contains(key, ORDER)) {
                rows.add(new KeyVersion(key, version));
            }
        });
        if (rows.size() <= MOST_ROWS) {
            return new Page(range, rows);
        }
        rows.removeLast();
        return new Page(new KeyRange(range.after(), Optional.of(rows.getLast().key())), rows);
    }
}
