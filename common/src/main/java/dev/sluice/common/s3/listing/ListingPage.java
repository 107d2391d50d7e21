package dev.sluice.common.s3.listing;

import dev.sluice.common.s3.S3Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One page of a listing.
///
/// @param contents objects, in key order
/// @param commonPrefixes what the delimiter folds together, in the same order
/// @param truncated whether more follows
/// @param next when truncated: the last key or common prefix of this page, from which the next one goes on
public record ListingPage(
        List<ListedObject> contents, List<String> commonPrefixes, boolean truncated, Optional<String> next) {
    private static final ListingPage EMPTY = new ListingPage(List.of(), List.of(), false, Optional.empty());

    public ListingPage {
        contents = List.copyOf(contents);
        commonPrefixes = List.copyOf(commonPrefixes);
    }

    public static ListingPage of(SortedKeys keys, S3Request.ListObjects request) {
        return of(keys, request.prefix(), request.delimiter(), request.after(), request.maxKeys());
    }

    /// The page of keys greater than `after` that begin with `prefix`; keys with the delimiter behind the prefix are
    /// folded into one common prefix, and a common prefix equal to `after` was on the page before.
    ///
    /// @param delimiter none when empty
    /// @param after from the beginning when empty
    /// @param maxKeys contents and common prefixes together; 0 is an empty page that is not truncated, as in S3
    public static ListingPage of(SortedKeys keys, String prefix, String delimiter, String after, int maxKeys) {
        if (maxKeys == 0) {
            return EMPTY;
        }
        var start = start(prefix, delimiter, after);
        if (start.isEmpty()) {
            return EMPTY;
        }
        keys.seek(start.get());
        var contents = new ArrayList<ListedObject>(Math.min(maxKeys, 1000));
        var commonPrefixes = new ArrayList<String>();
        var last = "";
        for (var next = keys.peek(); next.isPresent(); next = keys.peek()) {
            var object = next.get();
            if (!object.key().startsWith(prefix)) {
                break;
            }
            if (contents.size() + commonPrefixes.size() == maxKeys) {
                return new ListingPage(contents, commonPrefixes, true, Optional.of(last));
            }
            int fold = fold(object.key(), prefix, delimiter);
            if (fold < 0) {
                contents.add(object);
                last = object.key();
                keys.advance();
            } else {
                last = object.key().substring(0, fold);
                commonPrefixes.add(last);
                var beyond = KeyOrder.pastPrefix(last);
                if (beyond.isEmpty()) {
                    break;
                }
                keys.seek(beyond.get());
            }
        }
        return new ListingPage(contents, commonPrefixes, false, Optional.empty());
    }

    /// Where a key's common prefix ends, -1 when it is listed itself.
    public static int fold(String key, String prefix, String delimiter) {
        int at = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
        return at < 0 ? -1 : at + delimiter.length();
    }

    private static Optional<String> start(String prefix, String delimiter, String after) {
        if (after.isEmpty() || KeyOrder.INSTANCE.compare(after, prefix) < 0) {
            return Optional.of(prefix);
        }
        boolean isCommonPrefix = after.startsWith(prefix) && fold(after, prefix, delimiter) == after.length();
        return isCommonPrefix ? KeyOrder.pastPrefix(after) : Optional.of(KeyOrder.justAfter(after));
    }
}
