package dev.sluice.cli.config;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.NamedBackend;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;

/// `[backends.NAME]`: one cloud, and exactly one kind of credentials for it.
public record BackendConfig(
        String type,
        String endpoint,
        String region,
        String profile,
        String accessKey,
        String secretKey,
        String credentialsFile,
        boolean anonymous,
        boolean defaultChain) {
    public static final BackendConfig DEFAULTS = new BackendConfig("", "", "", "", "", "", "", false, false);

    /// @throws IllegalArgumentException saying which key is missing or does not fit
    NamedBackend backend() {
        return new NamedBackend(provider(), given(endpoint).map(URI::create), given(region), credentials());
    }

    private BackendAddress.Provider provider() {
        return switch (type) {
            case "s3" -> BackendAddress.Provider.S3;
            case "gs" -> BackendAddress.Provider.GS;
            default -> throw new IllegalArgumentException("type must be \"s3\" or \"gs\", not \"" + type + "\"");
        };
    }

    private BackendCredentials credentials() {
        if (accessKey.isEmpty() != secretKey.isEmpty()) {
            throw new IllegalArgumentException("access_key and secret_key are given together or not at all");
        }
        var kinds = new ArrayList<BackendCredentials>();
        given(profile).map(BackendCredentials.Profile::new).ifPresent(kinds::add);
        given(accessKey).map(key -> new BackendCredentials.Keys(key, secretKey)).ifPresent(kinds::add);
        given(credentialsFile)
                .map(Path::of)
                .map(BackendCredentials.CredentialsFile::new)
                .ifPresent(kinds::add);
        if (anonymous) {
            kinds.add(new BackendCredentials.Anonymous());
        }
        if (defaultChain) {
            kinds.add(new BackendCredentials.DefaultChain());
        }
        if (kinds.size() != 1) {
            throw new IllegalArgumentException("give one of profile, access_key with secret_key, credentials_file,"
                    + " anonymous = true and default_chain = true, not " + (kinds.isEmpty() ? "none" : kinds));
        }
        return kinds.getFirst();
    }

    private static Optional<String> given(String text) {
        return Optional.of(text).filter(value -> !value.isEmpty());
    }

    /// Without the secret.
    @Override
    public String toString() {
        return "BackendConfig[%s, endpoint=%s]".formatted(type, endpoint);
    }
}
