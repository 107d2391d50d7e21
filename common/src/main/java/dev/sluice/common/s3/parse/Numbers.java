package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.s3.S3Failure;

/// Numbers in queries and headers, with S3's own words when they are out of range.
final class Numbers {
    private static final int LARGEST_PAGE = 1000;

    private Numbers() {}

    /// max-keys and its kin: missing or above 1000 is 1000.
    static int pageSize(Query query, String parameter) {
        return Math.min(notNegative(query, parameter, LARGEST_PAGE), LARGEST_PAGE);
    }

    static int notNegative(Query query, String parameter, int otherwise) {
        return notNegative(parameter, query.text(parameter), otherwise);
    }

    /// x-amz-max-parts: missing or above 1000 is 1000.
    static int pageSize(Headers headers, String name) {
        return Math.min(notNegative(name, headers.first(name).orElse(""), LARGEST_PAGE), LARGEST_PAGE);
    }

    static int notNegative(String parameter, String text, int otherwise) {
        if (text.isEmpty()) {
            return otherwise;
        }
        int value;
        try {
            value = Integer.parseInt(text);
        } catch (NumberFormatException _) {
            throw S3Failure.invalidArgument(
                    parameter, text, "Provided " + parameter + " not an integer or within integer range");
        }
        if (value < 0) {
            throw S3Failure.invalidArgument(
                    parameter, text, "Argument " + parameter + " must be an integer between 0 and 2147483647");
        }
        return value;
    }

    /// max-buckets: missing is the largest.
    static int bucketPageSize(Query query) {
        var text = query.text("max-buckets");
        return text.isEmpty() ? 10_000 : upTo10000("max-buckets", "Argument max-buckets", text);
    }

    static int partNumber(String text) {
        return upTo10000("partNumber", "Part number", text);
    }

    private static int upTo10000(String name, String title, String text) {
        try {
            int value = Integer.parseInt(text);
            if (value >= 1 && value <= 10_000) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Said below, like a number out of range.
        }
        throw S3Failure.invalidArgument(name, text, title + " must be an integer between 1 and 10000, inclusive");
    }

    static long size(String header, String text) {
        try {
            long value = Long.parseLong(text);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Said below, like a negative size.
        }
        throw S3Failure.invalidArgument(header, text, "The value of " + header + " is not a size in bytes: " + text);
    }
}
