package dev.sluice.backend.access;

import dev.sluice.backend.BackendAddress;
import java.net.URI;
import java.util.Optional;

/// `[backends.NAME]`: a cloud that buckets name, and the credentials for it.
public record NamedBackend(
        BackendAddress.Provider type, Optional<URI> endpoint, Optional<String> region, BackendCredentials credentials) {

    /// @throws IllegalArgumentException when the parts do not fit together
    public NamedBackend {
        endpoint.ifPresent(url -> {
            BackendAddress.checkEndpoint(url);
            Destinations.checkHost(url.getHost());
        });
        region.ifPresent(BackendAddress::checkRegion);
        switch (credentials) {
            case BackendCredentials.Profile _, BackendCredentials.Keys _ ->
                require(type == BackendAddress.Provider.S3, "type = \"s3\"");
            case BackendCredentials.CredentialsFile(var file) -> {
                require(type == BackendAddress.Provider.GS, "type = \"gs\"");
                if (!file.isAbsolute()) {
                    throw new IllegalArgumentException("credentials_file must be an absolute path, not " + file);
                }
            }
            case BackendCredentials.Anonymous _, BackendCredentials.DefaultChain _ -> {}
        }
        boolean clear = endpoint.filter(url -> url.getScheme().equals("http")).isPresent();
        if (type == BackendAddress.Provider.GS && clear && !(credentials instanceof BackendCredentials.Anonymous)) {
            throw new IllegalArgumentException(
                    "endpoint must begin with https://: Google's tokens are secrets themselves");
        }
    }

    private static void require(boolean fits, String wanted) {
        if (!fits) {
            throw new IllegalArgumentException("its credentials need " + wanted);
        }
    }

    /// Whether this is the cloud at that endpoint.
    boolean serves(BackendAddress.Provider provider, URI other) {
        return type == provider
                && endpoint.map(EndpointPattern::origin).equals(Optional.of(EndpointPattern.origin(other)));
    }
}
