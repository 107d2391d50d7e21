package dev.sluice.common.s3;

import java.util.List;

/// An error as S3 clients see it: Amazon's code, and Amazon's sentence or one that says what to do.
///
/// @param values of the code's elements, in their order; at most as many
public record S3Error(S3Code kind, String message, List<String> values) {
    public S3Error {
        if (values.size() > kind.elements().size()) {
            throw new IllegalArgumentException(
                    "%s has the elements %s, not %s".formatted(kind, kind.elements(), values));
        }
    }

    public int status() {
        return kind.status();
    }

    public String code() {
        return kind.code();
    }

    /// The message for where the elements are not shown: S3's sentence with the first of them.
    public String text() {
        return values.isEmpty() || !message.equals(kind.sentence())
                ? message
                : "%s%s %s: %s"
                        .formatted(
                                message,
                                message.endsWith(".") ? "" : ".",
                                kind.elements().getFirst(),
                                values.getFirst());
    }
}
