package dev.sluice.cli.config.value;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// An amount of bytes as people write it: `64KiB`, `1.5GiB`, `4096`.
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([A-Za-z]*)");
    private static final Map<String, Long> UNITS = Map.ofEntries(
            Map.entry("", 1L),
            Map.entry("b", 1L),
            Map.entry("kib", 1L << 10),
            Map.entry("mib", 1L << 20),
            Map.entry("gib", 1L << 30),
            Map.entry("tib", 1L << 40),
            Map.entry("kb", 1_000L),
            Map.entry("mb", 1_000_000L),
            Map.entry("gb", 1_000_000_000L),
            Map.entry("tb", 1_000_000_000_000L));
    private static final String[] BINARY = {"", "KiB", "MiB", "GiB", "TiB"};

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size cannot be negative: " + bytes);
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static ByteSize parse(String text) {
        var form = FORM.matcher(text.strip());
        var unit = form.matches() ? UNITS.get(form.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("'" + text + "' is not a size such as 64KiB or 2GiB");
        }
        var amount = form.group(1);
        return new ByteSize(
                amount.contains(".")
                        ? (long) (Double.parseDouble(amount) * unit)
                        : Math.multiplyExact(Long.parseLong(amount), unit));
    }

    @JsonValue
    @Override
    public String toString() {
        var value = bytes;
        var unit = 0;
        while (value != 0 && value % 1024 == 0 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        return value + BINARY[unit];
    }
}
