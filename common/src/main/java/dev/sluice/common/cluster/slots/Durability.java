package dev.sluice.common.cluster.slots;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What an acknowledgement means.
public enum Durability {
    /// Data, record and name are on the drive.
    @JsonProperty("fsync")
    FSYNC,
    /// The operating system has them: lost with the power, not with the process.
    @JsonProperty("os")
    OS
}
