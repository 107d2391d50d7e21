package dev.sluice.cli.config.value;

/// Bounds of settings, refused with the key's name.
public final class Checks {
    private Checks() {}

    public static void atLeast(String key, int value, int least) {
        between(key, value, least, Integer.MAX_VALUE);
    }

    public static void between(String key, int value, int least, int most) {
        if (value < least || value > most) {
            var bounds = most == Integer.MAX_VALUE ? least + " or more" : least + " to " + most;
            throw new IllegalArgumentException(key + " must be " + bounds + ", not " + value);
        }
    }

    public static void between(String key, TimeSpan value, TimeSpan least, TimeSpan most) {
        if (value.duration().compareTo(least.duration()) < 0 || value.duration().compareTo(most.duration()) > 0) {
            throw new IllegalArgumentException("%s must be %s to %s, not %s".formatted(key, least, most, value));
        }
    }
}
