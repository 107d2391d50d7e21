package dev.sluice.targetnode.replica.core;

import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What a core asks, answered from a map.
final class MapContext implements SlotContext {
    final Map<ObjectKey, ObjectVersion> rows = new HashMap<>();
    /// Of all that is here.
    int position;

    boolean leased = true;
    private int counter;

    @Override
    public Optional<Slice> row(ObjectKey key) {
        return Optional.ofNullable(rows.get(key)).map(version -> new Slice(version, position));
    }

    @Override
    public Page page(KeyRange range) {
        var found = rows.entrySet().stream()
                .filter(row -> range.contains(row.getKey(), order()))
                .map(row -> new KeyVersion(row.getKey(), row.getValue(), position))
                .sorted((one, other) -> order().compare(one.key(), other.key()))
                .toList();
        return new Page(range, found);
    }

    @Override
    public Comparator<ObjectKey> order() {
        return Comparator.comparing(ObjectKey::key);
    }

    @Override
    public int nextCounter() {
        return ++counter;
    }

    @Override
    public boolean leased() {
        return leased;
    }
}
