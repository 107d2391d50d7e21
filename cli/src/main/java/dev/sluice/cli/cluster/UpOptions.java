package dev.sluice.cli.cluster;

import java.nio.file.Path;
import java.util.Optional;

/// What `up` was asked for on the command line; what is absent comes from DIR/sluice.toml.
public record UpOptions(
        Optional<Integer> proxies,
        Optional<Integer> targets,
        Optional<Integer> drives,
        Optional<Integer> port,
        Optional<String> host,
        Optional<Boolean> separate,
        Optional<Boolean> auth,
        Optional<Boolean> insecure,
        Optional<Path> config,
        boolean foreground) {}
