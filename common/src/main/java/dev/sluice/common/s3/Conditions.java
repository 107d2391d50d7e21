package dev.sluice.common.s3;

import dev.sluice.common.store.StoreException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The conditions of a request, as RFC 9110 §13 orders them. ETags as in the header: quoted or not, a list, or `*`.
///
/// @param ifRange when a range is wanted: else the whole object is
public record Conditions(
        Optional<String> ifMatch,
        Optional<String> ifNoneMatch,
        Optional<Instant> ifModifiedSince,
        Optional<Instant> ifUnmodifiedSince,
        Optional<IfRange> ifRange) {
    public static final Conditions NONE =
            new Conditions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /// What the object must have exactly. Neither: no object has it.
    ///
    /// @param etag without quotes
    /// @param modified in whole seconds
    public record IfRange(Optional<String> etag, Optional<Instant> modified) {
        /// @param tag as in the header; a weak one is none: it says nothing of the bytes
        public static IfRange ofTag(String tag) {
            return new IfRange(tag.startsWith("W/") ? Optional.empty() : Optional.of(unquoted(tag)), Optional.empty());
        }

        public static IfRange ofDate(Instant modified) {
            return new IfRange(Optional.empty(), Optional.of(modified));
        }
    }

    /// Without If-Range.
    public Conditions(
            Optional<String> ifMatch,
            Optional<String> ifNoneMatch,
            Optional<Instant> ifModifiedSince,
            Optional<Instant> ifUnmodifiedSince) {
        this(ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, Optional.empty());
    }

    /// Whether a range of the object may be answered, and not the whole.
    ///
    /// @param etag the object's, without quotes
    public boolean allowRange(String etag, Instant modified) {
        return ifRange.isEmpty()
                || ifRange.get().etag.filter(etag::equals).isPresent()
                || ifRange.get()
                        .modified
                        .filter(modified.truncatedTo(ChronoUnit.SECONDS)::equals)
                        .isPresent();
    }

    /// The tags of a header's lines: several lines are one list.
    public static Optional<String> tags(List<String> lines) {
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    /// The same with one line more.
    public static Optional<String> tags(Optional<String> before, String line) {
        return Optional.of(before.map(tags -> tags + ", " + line).orElse(line));
    }

    public boolean none() {
        return this.equals(NONE);
    }

    /// For GET and HEAD of an object that exists.
    ///
    /// @param etag the object's, without quotes
    /// @return false when the client has the object already (304)
    public boolean checkRead(String etag, Instant modified) {
        var stored = modified.truncatedTo(ChronoUnit.SECONDS);
        if (ifMatch.isPresent()) {
            if (!matches(ifMatch.get(), etag)) {
                throw new StoreException.PreconditionFailed("If-Match");
            }
        } else if (ifUnmodifiedSince.isPresent() && stored.isAfter(ifUnmodifiedSince.get())) {
            throw new StoreException.PreconditionFailed("If-Unmodified-Since");
        }
        return ifNoneMatch.isPresent()
                ? !matches(ifNoneMatch.get(), etag)
                : ifModifiedSince.isEmpty() || stored.isAfter(ifModifiedSince.get());
    }

    /// For a write, judged under the key's lock at commit.
    ///
    /// @param etag the stored object's, without quotes; empty when there is none
    /// @param key for the message when If-Match meets nothing
    public void checkWrite(Optional<String> etag, String key) {
        if (ifMatch.isPresent()) {
            if (etag.isEmpty()) {
                throw new StoreException.NoSuchKey(key);
            }
            if (!matches(ifMatch.get(), etag.get())) {
                throw new StoreException.PreconditionFailed("If-Match");
            }
        }
        if (ifNoneMatch.isPresent() && etag.isPresent() && matches(ifNoneMatch.get(), etag.get())) {
            throw new StoreException.PreconditionFailed("If-None-Match");
        }
    }

    static boolean matches(String list, String etag) {
        return Arrays.stream(list.split(","))
                .map(String::trim)
                .anyMatch(each -> each.equals("*") || unquoted(each).equals(etag));
    }

    private static String unquoted(String tag) {
        var strong = tag.startsWith("W/") ? tag.substring(2) : tag;
        return strong.length() >= 2 && strong.startsWith("\"") && strong.endsWith("\"")
                ? strong.substring(1, strong.length() - 1)
                : strong;
    }
}
