package dev.sluice.common.auth;

/// What a client signs with: a key pair and the region that signatures name. Its text form never shows the secret.
/// Whether the keys are any good, the server says.
public record Credentials(String accessKey, String secretKey, String region) {
    @Override
    public String toString() {
        return "Credentials[" + accessKey + ", " + region + "]";
    }
}
