package dev.sluice.cli.config;

/// Bounds of settings, refused with the key's name.
final class Checks {
    private Checks() {}

    static void atLeast(String key, int value, int least) {
        between(key, value, least, Integer.MAX_VALUE);
    }

    static void between(String key, int value, int least, int most) {
        if (value < least || value > most) {
            var bounds = most == Integer.MAX_VALUE ? least + " or more" : least + " to " + most;
            throw new IllegalArgumentException(key + " must be " + bounds + ", not " + value);
        }
    }

    static void between(String key, TimeSpan value, TimeSpan least, TimeSpan most) {
        if (value.duration().compareTo(least.duration()) < 0 || value.duration().compareTo(most.duration()) > 0) {
            throw new IllegalArgumentException("%s must be %s to %s, not %s".formatted(key, least, most, value));
        }
    }
}
