package dev.sluice.common.name;

/// A bucket's name and a key in it, as the client wrote them (the key decoded from the URL, any legal S3 key).
public record ObjectName(String bucket, String key) {
    @Override
    public String toString() {
        return bucket + "/" + key;
    }
}
