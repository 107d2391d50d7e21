package dev.sluice.backend;

import java.util.Comparator;

/// The order every store lists in: by the bytes of UTF-8, which is by code point and not by Java's chars.
public final class KeyOrder implements Comparator<String> {
    public static final KeyOrder BY_UTF8 = new KeyOrder();

    private KeyOrder() {}

    @Override
    public int compare(String left, String right) {
        int shorter = Math.min(left.length(), right.length());
        for (int i = 0; i < shorter; i++) {
            char l = left.charAt(i);
            char r = right.charAt(i);
            if (l != r) {
                // A surrogate stands for a code point above all others of one char.
                boolean leftPair = Character.isSurrogate(l);
                return leftPair == Character.isSurrogate(r) ? Character.compare(l, r) : leftPair ? 1 : -1;
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /// The greatest key that begins with `prefix`, for listing what follows a common prefix. Keys that go on after it
    /// are left for [BackendPage]'s maker to filter.
    public static String lastWithin(String prefix) {
        return prefix + Character.toString(Character.MAX_CODE_POINT);
    }
}
