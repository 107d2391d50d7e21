package dev.sluice.deploy.harness;

import java.util.List;

/// The two ways that `up` starts a cluster.
public enum Mode {
    EMBEDDED(List.of()),
    SEPARATE(List.of("--separate"));

    private final List<String> options;

    Mode(List<String> options) {
        this.options = options;
    }

    public String[] options() {
        return options.toArray(String[]::new);
    }
}
