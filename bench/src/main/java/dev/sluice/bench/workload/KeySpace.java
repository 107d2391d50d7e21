package dev.sluice.bench.workload;

import java.util.Locale;
import java.util.regex.Pattern;

/// The objects of a bench: numbered keys under a prefix in one bucket, all of one size. Names that would need encoding
/// in a URL are refused.
public record KeySpace(String bucket, String prefix, int count, long size) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._/-]*");

    public KeySpace {
        if (!PLAIN.matcher(bucket + prefix).matches()) {
            throw new IllegalArgumentException("only letters, digits and . _ / - in bucket and prefix");
        }
        if (count < 1) {
            throw new IllegalArgumentException("at least one object");
        }
    }

    String bucketPath() {
        return "/" + bucket;
    }

    String path(int number) {
        return String.format(Locale.ROOT, "/%s/%s%08d", bucket, prefix, number);
    }

    /// A key no one else has: not in the numbered set.
    String freshPath(long run, int connection, long number) {
        return "/" + bucket + "/" + prefix + "fresh-" + run + "-" + connection + "-" + number;
    }
}
