package dev.sluice.targetnode.replica.core.sim;

import java.util.Map;
import java.util.Objects;

/// Looks up what has to be there.
final class Known {
    private Known() {}

    static <K, V> V of(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key), () -> "nothing for " + key);
    }
}
