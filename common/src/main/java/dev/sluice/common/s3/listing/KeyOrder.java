package dev.sluice.common.s3.listing;

import java.util.Comparator;
import java.util.Optional;

/// The order of S3 listings: by the bytes of the key's UTF-8, which is the order of code points. `String.compareTo`
/// differs: it puts U+10000 and above (surrogate pairs) before U+E000 to U+FFFF.
public final class KeyOrder implements Comparator<String> {
    public static final KeyOrder INSTANCE = new KeyOrder();

    private KeyOrder() {}

    @Override
    public int compare(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                return rank(a) - rank(b);
            }
        }
        return left.length() - right.length();
    }

    /// The smallest string greater than this one.
    public static String justAfter(String key) {
        return key + '\0';
    }

    /// The smallest string greater than every string that begins with the prefix; none when nothing can be greater
    /// (the empty prefix, or only U+10FFFF).
    public static Optional<String> pastPrefix(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                // A surrogate is no character of its own, so U+E000 follows U+D7FF.
                int next = last == Character.MIN_SURROGATE - 1 ? Character.MAX_SURROGATE + 1 : last + 1;
                return Optional.of(prefix.substring(0, end) + Character.toString(next));
            }
        }
        return Optional.empty();
    }

    /// The greatest key that begins with the prefix, for listing what follows a common prefix. Keys that go on after it
    /// are left for the maker of the page to filter.
    public static String lastWithin(String prefix) {
        return prefix + Character.toString(Character.MAX_CODE_POINT);
    }

    private static int rank(char unit) {
        return Character.isSurrogate(unit) ? unit + 0x10000 : unit;
    }
}
