package dev.sluice.common.s3.config;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Which objects a lifecycle rule is about: those of which every condition holds.
///
/// @param prefix of their keys; all keys have the empty one
/// @param tags that they have, besides others
/// @param largerThan bytes, not counting this number itself
/// @param smallerThan bytes, not counting this number itself
public record LifecycleFilter(
        String prefix, SortedMap<String, String> tags, Optional<Long> largerThan, Optional<Long> smallerThan) {
    /// All objects.
    public static final LifecycleFilter ALL = ofPrefix("");

    public LifecycleFilter {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    public static LifecycleFilter ofPrefix(String prefix) {
        return new LifecycleFilter(prefix, Collections.emptySortedMap(), Optional.empty(), Optional.empty());
    }

    /// @param objectsTags may be empty if the filter has none
    public boolean matches(String key, long size, Map<String, String> objectsTags) {
        return key.startsWith(prefix)
                && largerThan.map(limit -> size > limit).orElse(true)
                && smallerThan.map(limit -> size < limit).orElse(true)
                && objectsTags.entrySet().containsAll(tags.entrySet());
    }

    boolean hasSize() {
        return largerThan.isPresent() || smallerThan.isPresent();
    }

    /// How many conditions a document needs for it.
    int conditions() {
        return (prefix.isEmpty() ? 0 : 1)
                + tags.size()
                + (largerThan.isPresent() ? 1 : 0)
                + (smallerThan.isPresent() ? 1 : 0);
    }
}
