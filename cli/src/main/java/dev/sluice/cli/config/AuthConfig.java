package dev.sluice.cli.config;

import java.util.Map;

/// `[auth]`: the first pair of keys, and the key the nodes of a cluster share among themselves.
public record AuthConfig(boolean enabled, String accessKey, String secretKey, String clusterKey, String region) {
    public static final String ACCESS_KEY_VARIABLE = "SLUICE_ACCESS_KEY";
    public static final String SECRET_KEY_VARIABLE = "SLUICE_SECRET_KEY";
    public static final AuthConfig DEFAULTS = new AuthConfig(true, "", "", "", "us-east-1");

    public AuthConfig withKeys(String access, String secret) {
        return new AuthConfig(enabled, access, secret, clusterKey, region);
    }

    public AuthConfig withClusterKey(String key) {
        return new AuthConfig(enabled, accessKey, secretKey, key, region);
    }

    /// The environment wins over the file: containers get their keys that way.
    public AuthConfig withKeysFrom(Map<String, String> environment) {
        return withKeys(
                environment.getOrDefault(ACCESS_KEY_VARIABLE, accessKey),
                environment.getOrDefault(SECRET_KEY_VARIABLE, secretKey));
    }
}
