package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The objects of a bench: given keys, or numbered ones under a prefix, in one bucket, all of one size. Names that
/// would need encoding in a URL are refused.
///
/// @param given empty: numbered ones
public record KeySpace(String bucket, String prefix, List<String> given, int count, long size) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._/-]*");

    public KeySpace {
        given = List.copyOf(given);
        if (!PLAIN.matcher(bucket + prefix + String.join("", given)).matches()) {
            throw new IllegalArgumentException("only letters, digits and . _ / - in bucket, prefix and keys");
        }
        if (count < 1) {
            throw new IllegalArgumentException("at least one object");
        }
    }

    public static KeySpace numbered(String bucket, String prefix, int count, long size) {
        return new KeySpace(bucket, prefix, List.of(), count, size);
    }

    public static KeySpace of(String bucket, List<String> keys, long size) {
        return new KeySpace(bucket, "", keys, keys.size(), size);
    }

    String bucketPath() {
        return "/" + bucket;
    }

    String path(int number) {
        return given.isEmpty()
                ? String.format(Locale.ROOT, "/%s/%s%08d", bucket, prefix, number)
                : "/" + bucket + "/" + given.get(number);
    }

    /// A key no one else has: not in the numbered set.
    String freshPath(long run, int connection, long number) {
        return "/" + bucket + "/" + prefix + "fresh-" + run + "-" + connection + "-" + number;
    }
}
