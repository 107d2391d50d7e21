package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.util.Set;

/// Which names a bucket may have. New ones follow S3's rules; existing ones may have come through other doors (a cloud
/// bucket of old, the native API) and need only be harmless as a name.
public final class BucketName {
    private static final Set<String> RESERVED = Set.of("v1", "s3", "metrics", "health");

    private BucketName() {}

    /// Refuses a name that a new bucket must not have.
    public static void checkNew(String name) {
        if (RESERVED.contains(name)) {
            throw invalid(name, "The name is reserved for Sluice's own paths: " + name);
        }
        if (name.length() < 3 || name.length() > 63) {
            throw invalid(name, "A bucket name has 3 to 63 characters: " + name);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letterOrDigit = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            boolean inside = i > 0 && i < name.length() - 1;
            if (!letterOrDigit && !(inside && (c == '-' || c == '.'))) {
                throw invalid(
                        name,
                        "A bucket name has lower case letters, digits, '-' and '.', and begins and ends with a"
                                + " letter or digit: " + name);
            }
        }
        if (name.contains("..")) {
            throw invalid(name, "A bucket name has no two dots in a row: " + name);
        }
        if (isAddress(name)) {
            throw invalid(name, "A bucket name must not look like an IP address: " + name);
        }
        if (name.startsWith("xn--")
                || name.startsWith("sthree-")
                || name.startsWith("amzn-s3-demo-")
                || name.endsWith("-s3alias")
                || name.endsWith("--ol-s3")
                || name.endsWith("--x-s3")
                || name.endsWith("--table-s3")
                || name.endsWith(".mrap")) {
            throw invalid(name, "The beginning or end of the name is reserved by S3: " + name);
        }
    }

    /// Refuses what can be no bucket's name, whoever made it.
    static void checkExisting(String name) {
        boolean legal = name.length() <= 255 && !name.equals(".") && !name.equals("..");
        for (int i = 0; legal && i < name.length(); i++) {
            char c = name.charAt(i);
            legal = (c >= 'a' && c <= 'z')
                    || (c >= '0' && c <= '9')
                    || (c >= 'A' && c <= 'Z')
                    || c == '-'
                    || c == '.'
                    || c == '_';
        }
        if (!legal) {
            throw S3Failure.of(S3Code.INVALID_BUCKET_NAME, name);
        }
    }

    private static boolean isAddress(String name) {
        int dots = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '.') {
                dots++;
            } else if (c < '0' || c > '9') {
                return false;
            }
        }
        return dots == 3;
    }

    /// Says which rule.
    private static S3Failure invalid(String name, String message) {
        return new S3Failure(S3Code.INVALID_BUCKET_NAME, message, name);
    }
}
