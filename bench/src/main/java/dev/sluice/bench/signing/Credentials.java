package dev.sluice.bench.signing;

/// A key pair, and the region requests are signed for. The secret never shows in text.
public record Credentials(String accessKey, String secretKey, String region) {
    @Override
    public String toString() {
        return accessKey + " in " + region;
    }
}
