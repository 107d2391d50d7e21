package dev.sluice.targetnode.storage.health;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.drive.Drive;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/// The drives of a target as its objects see them: the one of a key, or all.
public final class Drives {
    private final Map<String, DriveSlot> slots = new TreeMap<>();
    private final BiFunction<Long, String, String> placement;

    /// @param placement bucket id and key to a drive's id
    public Drives(List<DriveSlot> slots, BiFunction<Long, String, String> placement) {
        slots.forEach(slot -> this.slots.put(slot.id(), slot));
        this.placement = placement;
    }

    /// @throws StoreException.Unavailable when the key's drive cannot know what it has
    public Drive toRead(long bucketId, String key) {
        return of(bucketId, key).toRead();
    }

    /// @throws StoreException.Unavailable when the key's drive takes no writes
    public Drive toWrite(long bucketId, String key) {
        return of(bucketId, key).toWrite();
    }

    private DriveSlot of(long bucketId, String key) {
        var slot = slots.get(placement.apply(bucketId, key));
        if (slot == null) {
            throw new StoreException.Unavailable("the drive of this key is not attached");
        }
        return slot;
    }

    /// @throws StoreException.Unavailable unless each of them knows what it has
    public List<Drive> allToRead() {
        return slots.values().stream().map(DriveSlot::toRead).toList();
    }

    /// @throws StoreException.Unavailable unless each of them takes writes
    public List<Drive> allToWrite() {
        return slots.values().stream().map(DriveSlot::toWrite).toList();
    }

    /// Those that take writes now.
    public List<Drive> serving() {
        return slots.values().stream()
                .filter(slot -> slot.status().state().writes())
                .flatMap(slot -> slot.open().stream())
                .toList();
    }

    public List<DriveSlot> slots() {
        return List.copyOf(slots.values());
    }
}
