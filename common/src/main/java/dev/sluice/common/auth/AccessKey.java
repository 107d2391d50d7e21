package dev.sluice.common.auth;

/// A key pair that may sign requests. Its text form never shows the secret.
public record AccessKey(String accessKey, String secretKey) {
    public AccessKey {
        if (accessKey.isEmpty() || secretKey.isEmpty()) {
            throw new IllegalArgumentException("an access key and its secret must not be empty");
        }
    }

    @Override
    public String toString() {
        return "AccessKey[" + accessKey + "]";
    }
}
