package dev.sluice.cli.doctor;

import java.util.Locale;

/// Something that was looked at.
///
/// @param about a node, a drive, a setting, a bucket
/// @param next what to do; empty where nothing is to be done
public record Finding(Level level, String about, String what, String next) {
    /// A problem keeps something from working. A warning says what may, or will.
    public enum Level {
        FINE,
        WARNING,
        PROBLEM;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding fine(String about, String what) {
        return new Finding(Level.FINE, about, what, "");
    }

    static Finding warning(String about, String what, String next) {
        return new Finding(Level.WARNING, about, what, next);
    }

    static Finding problem(String about, String what, String next) {
        return new Finding(Level.PROBLEM, about, what, next);
    }
}
