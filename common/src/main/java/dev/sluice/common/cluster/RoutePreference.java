package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;

/// Whether a bucket's GETs are redirected to the target or relayed through the node that was asked.
public enum RoutePreference {
    @JsonProperty("redirect")
    REDIRECT,
    @JsonProperty("relay")
    RELAY
}
