package dev.sluice.cli.s3;

/// One line of a listing: an object, or (size −1) a common prefix.
public record ListedObject(String key, long size, String etag, String lastModified) {
    public boolean isPrefix() {
        return size < 0;
    }
}
