package dev.sluice.common.jobs;

/// Texts of users and servers, cut so that a record keeps its size.
final class ShortText {
    private static final String CUT = "…";
    private static final int ESCAPED = 6; // \u0001

    private ShortText() {}

    /// The text, or its beginning and an ellipsis.
    ///
    /// @param bytes of JSON at most
    static String of(String text, int bytes) {
        if (length(text) <= bytes) {
            return text;
        }
        int room = bytes - length(CUT);
        int end = 0;
        while (end < text.length()) {
            int point = text.codePointAt(end);
            room -= length(point);
            if (room < 0) {
                break;
            }
            end += Character.charCount(point);
        }
        return text.substring(0, end) + CUT;
    }

    /// Bytes in JSON, at most.
    static int length(String text) {
        return text.codePoints().map(ShortText::length).sum();
    }

    private static int length(int point) {
        if (Character.isSupplementaryCodePoint(point)) {
            return 2 * ESCAPED; // as two halves
        }
        boolean escaped =
                point < ' ' || point == '"' || point == '\\' || Character.getType(point) == Character.SURROGATE;
        return escaped ? ESCAPED : point < 0x80 ? 1 : point < 0x800 ? 2 : 3;
    }
}
