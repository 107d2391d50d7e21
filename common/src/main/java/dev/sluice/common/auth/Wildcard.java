package dev.sluice.common.auth;

import java.util.HashMap;
import java.util.Map;

/// A pattern of a policy, compiled: `*` stands for any characters, `?` for one. What comes before the first of them
/// is compared as it is. The rest is an automaton with one state for each place between two characters of the
/// pattern; all states that a text can be in are bits that one step of the text shifts together. So matching takes
/// the text's length times a 64th of the pattern's, whatever both are. Source: Baeza-Yates and Gonnet, "A new
/// approach to text searching", 1992.
final class Wildcard {
    private final String pattern;
    private final String prefix;
    private final boolean open;

    /// How many characters of the rest are no `*`: state `i` has matched `i` of them.
    private final int length;

    /// The states that stay where they are at any character: those before a `*`.
    private final long[] stays;

    /// For each character, the states that it leads on from; of a character that the pattern does not have, those
    /// before a `?`.
    private final Map<Character, long[]> leads;

    private final long[] anyLeads;

    Wildcard(String pattern) {
        this.pattern = pattern;
        int first = firstWildcard(pattern);
        this.prefix = pattern.substring(0, first);
        var rest = pattern.substring(first);
        this.open = !rest.isEmpty() && rest.chars().allMatch(character -> character == '*');
        this.length = (int) rest.chars().filter(character -> character != '*').count();
        this.stays = new long[length / Long.SIZE + 1];
        this.anyLeads = new long[stays.length];
        this.leads = new HashMap<>();
        int state = 0;
        for (int i = 0; i < rest.length(); i++) {
            char character = rest.charAt(i);
            if (character == '*') {
                set(stays, state);
            } else {
                set(character == '?' ? anyLeads : leads.computeIfAbsent(character, _ -> new long[stays.length]), state);
                state++;
            }
        }
        leads.values().forEach(each -> {
            for (int i = 0; i < each.length; i++) {
                each[i] |= anyLeads[i];
            }
        });
    }

    private static int firstWildcard(String pattern) {
        int at = 0;
        while (at < pattern.length() && pattern.charAt(at) != '*' && pattern.charAt(at) != '?') {
            at++;
        }
        return at;
    }

    String pattern() {
        return pattern;
    }

    boolean matches(String text) {
        if (!text.startsWith(prefix) || text.length() - prefix.length() < length) {
            return false;
        }
        return open || restMatches(text);
    }

    private boolean restMatches(String text) {
        var states = new long[stays.length];
        states[0] = 1;
        for (int i = prefix.length(); i < text.length(); i++) {
            var leading = leads.getOrDefault(text.charAt(i), anyLeads);
            long carry = 0;
            for (int word = 0; word < states.length; word++) {
                long moving = states[word] & leading[word];
                states[word] = (states[word] & stays[word]) | (moving << 1) | carry;
                carry = moving >>> (Long.SIZE - 1);
            }
        }
        return (states[length / Long.SIZE] & bit(length)) != 0;
    }

    private static void set(long[] states, int state) {
        states[state / Long.SIZE] |= bit(state);
    }

    private static long bit(int state) {
        return 1L << (state % Long.SIZE);
    }
}
