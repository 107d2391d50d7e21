package dev.sluice.cli.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

/// `[auth]`: the first pair of keys, and the key the nodes of a cluster share among themselves.
///
/// @param insecure whether a node may do off loopback what only a trusted network makes safe: no TLS, no authentication
public record AuthConfig(
        boolean enabled, String accessKey, String secretKey, String clusterKey, String region, boolean insecure) {
    public static final String ACCESS_KEY_VARIABLE = "SLUICE_ACCESS_KEY";
    public static final String SECRET_KEY_VARIABLE = "SLUICE_SECRET_KEY";
    private static final String CLUSTER_KEY_VARIABLE = "SLUICE_CLUSTER_KEY";
    private static final String PLACEHOLDER = "replace-me";
    public static final AuthConfig DEFAULTS = new AuthConfig(true, "", "", "", "us-east-1", false);

    public AuthConfig withKeys(String access, String secret) {
        return new AuthConfig(enabled, access, secret, clusterKey, region, insecure);
    }

    public AuthConfig withClusterKey(String key) {
        return new AuthConfig(enabled, accessKey, secretKey, key, region, insecure);
    }

    /// Refuses the keys of the examples: everybody knows them.
    void requireOwnKeys() {
        requireOwn("auth.access_key", accessKey);
        requireOwn("auth.secret_key", secretKey);
        requireOwn("auth.cluster_key", clusterKey);
    }

    private static void requireOwn(String name, String key) {
        if (key.startsWith(PLACEHOLDER)) {
            throw new IllegalArgumentException(name + " is the example's: replace it by a key of your own");
        }
    }

    /// @param host where nodes listen
    /// @throws IllegalArgumentException unless that is safe, or said to be meant
    public void requireSafe(String host, boolean tls) {
        if (insecure || isLoopback(host) || (enabled && tls)) {
            return;
        }
        throw new IllegalArgumentException(
                enabled
                        ? "%s is not a loopback address, and there is no TLS: set http.tls_certificate and http.tls_key, or say auth.insecure = true (up --insecure)"
                                .formatted(host)
                        : "%s is not a loopback address, and without authentication everybody who reaches it reads and writes: say auth.insecure = true (up --insecure) if that is meant"
                                .formatted(host));
    }

    /// Whether only this machine reaches it.
    public static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException _) {
            return false; // the nodes will say that they cannot listen there
        }
    }

    /// Without the secrets.
    @Override
    public String toString() {
        return "AuthConfig[enabled=%s, access key %s, region %s, insecure=%s]"
                .formatted(enabled, accessKey, region, insecure);
    }

    /// The environment wins over the file: containers get their keys that way.
    public AuthConfig withKeysFrom(Map<String, String> environment) {
        return withKeys(
                environment.getOrDefault(ACCESS_KEY_VARIABLE, accessKey),
                environment.getOrDefault(SECRET_KEY_VARIABLE, secretKey));
    }

    /// So that a node's file needs no secret at all.
    AuthConfig withClusterKeyFrom(Map<String, String> environment) {
        return withClusterKey(environment.getOrDefault(CLUSTER_KEY_VARIABLE, clusterKey));
    }
}
