package dev.sluice.common.s3.config;

import java.util.Optional;

/// What happens to some objects, or to uploads of some keys, with time.
///
/// @param id unique among the rules of a bucket
/// @param expiry when objects are deleted
/// @param abortDays after how many days an upload in parts that is not completed is aborted
/// @param oldForm whether the document had the prefix in the rule itself, and no Filter; so it is written again
public record LifecycleRule(
        String id,
        boolean enabled,
        LifecycleFilter filter,
        Optional<Expiry> expiry,
        Optional<Integer> abortDays,
        boolean oldForm) {
    public LifecycleRule {
        if (oldForm && !filter.equals(LifecycleFilter.ofPrefix(filter.prefix()))) {
            throw new IllegalArgumentException("the old form has only a prefix, not " + filter);
        }
    }

    public LifecycleRule(
            String id, boolean enabled, LifecycleFilter filter, Optional<Expiry> expiry, Optional<Integer> abortDays) {
        this(id, enabled, filter, expiry, abortDays, false);
    }

    LifecycleRule withId(String given) {
        return new LifecycleRule(given, enabled, filter, expiry, abortDays, oldForm);
    }
}
