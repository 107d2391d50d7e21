package dev.sluice.targetnode.replica.core;

import java.util.LinkedHashMap;
import java.util.Map;

/// Maps that cost nothing while they are empty: 65,536 cores exist at once, and most are idle.
final class SparseMap {
    private SparseMap() {}

    static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        Map<K, V> changed = map.isEmpty() ? new LinkedHashMap<>(4) : map;
        changed.put(key, value);
        return changed;
    }

    static <K, V> Map<K, V> without(Map<K, V> map, K key) {
        if (!map.containsKey(key)) {
            return map;
        }
        map.remove(key);
        return map.isEmpty() ? Map.of() : map;
    }
}
