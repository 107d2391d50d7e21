package dev.sluice.common.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;

public enum Role {
    @JsonProperty("proxy")
    PROXY,
    @JsonProperty("target")
    TARGET
}
