package dev.sluice.cli.command;

import java.util.Locale;

/// Numbers for people.
public final class Amounts {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private Amounts() {}

    public static String bytes(long count) {
        var value = (double) count;
        var unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? count + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}
