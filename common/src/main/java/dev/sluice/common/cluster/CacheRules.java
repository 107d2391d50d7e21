package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How a bucket before a cloud bucket treats its cached objects.
///
/// @param revalidate when a cached object is compared with the cloud's
/// @param evict whether a full drive may remove them
/// @param coldRange what a range of an object that is only in the cloud brings here
public record CacheRules(Revalidate revalidate, Evict evict, ColdRange coldRange) {
    public static final CacheRules USUAL = new CacheRules(Revalidate.NEVER, Evict.AUTO, ColdRange.FILL);

    public enum Evict {
        @JsonProperty("auto")
        AUTO,
        /// Only a command removes them.
        @JsonProperty("never")
        NEVER
    }

    public enum ColdRange {
        /// The whole object.
        @JsonProperty("fill")
        FILL,
        /// Nothing, until more of the object is asked for.
        @JsonProperty("pass")
        PASS
    }
}
