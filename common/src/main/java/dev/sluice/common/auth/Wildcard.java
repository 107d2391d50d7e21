package dev.sluice.common.auth;

/// A pattern of a policy: `*` stands for any characters, `?` for one. Matching goes back to the last `*` only,
/// so that no pattern takes longer than the product of both lengths.
record Wildcard(String pattern) {
    boolean matches(String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length()) {
            char expected = p < pattern.length() ? pattern.charAt(p) : '\0';
            if (p < pattern.length() && expected == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && (expected == '?' || expected == text.charAt(t))) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}
