package dev.sluice.cli.command;

import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The same with `--endpoint`, which everywhere but at `bucket create` means the cluster too.
final class EndpointOptions extends ClusterOptions {
    @Option(names = "--endpoint", paramLabel = "URL", description = "The same as --cluster.")
    private @Nullable URI endpoint;

    @Override
    Optional<URI> named() {
        return Optional.ofNullable(endpoint).or(super::named);
    }
}
