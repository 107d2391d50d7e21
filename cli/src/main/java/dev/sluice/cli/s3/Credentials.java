package dev.sluice.cli.s3;

/// A pair of keys and the region that signatures name.
public record Credentials(String accessKey, String secretKey, String region) {
    @Override
    public String toString() {
        return "Credentials[" + accessKey + ", " + region + "]";
    }
}
