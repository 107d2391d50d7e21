package dev.sluice.cli.command;

import dev.sluice.cli.failure.CommandFailure;

/// `BUCKET/KEY` on the command line, also written `s3://BUCKET/KEY` or `ais://BUCKET/KEY`. The key may be empty.
public record ObjectPath(String bucket, String key) {

    public static ObjectPath parse(String text) {
        var plain = text.replaceFirst("^(s3|ais)://", "");
        var slash = plain.indexOf('/');
        var bucket = slash < 0 ? plain : plain.substring(0, slash);
        if (bucket.isEmpty()) {
            throw CommandFailure.refused("'" + text + "' is not BUCKET/KEY");
        }
        return new ObjectPath(bucket, slash < 0 ? "" : plain.substring(slash + 1));
    }

    public ObjectPath withKey() {
        if (key.isEmpty()) {
            throw CommandFailure.refused("name an object: " + bucket + "/KEY");
        }
        return this;
    }

    /// A key as the top of a tree: ends with a slash unless it is the whole bucket.
    public String asFolder() {
        return key.isEmpty() || key.endsWith("/") ? key : key + "/";
    }

    @Override
    public String toString() {
        return bucket + "/" + key;
    }
}
