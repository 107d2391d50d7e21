package dev.sluice.cli.config;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/// What a node is for.
public enum NodeRole {
    PROXY,
    TARGET;

    @JsonValue
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
