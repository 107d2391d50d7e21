package dev.sluice.bench;

import java.util.Locale;
import java.util.regex.Pattern;

/// An amount of bytes as people write it: `4KiB`, `64 MiB`, `1000`.
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d+)\\s*(B|KiB|MiB|GiB)?", Pattern.CASE_INSENSITIVE);

    public static ByteSize parse(String text) {
        var match = FORM.matcher(text.strip());
        if (!match.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a size such as 4KiB or 1MiB");
        }
        String unit = match.group(2) == null ? "b" : match.group(2).toLowerCase(Locale.ROOT);
        int shift = switch (unit) {
            case "kib" -> 10;
            case "mib" -> 20;
            case "gib" -> 30;
            default -> 0;
        };
        return new ByteSize(Math.multiplyExact(Long.parseLong(match.group(1)), 1L << shift));
    }

    @Override
    public String toString() {
        if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) {
            return (bytes >> 20) + "MiB";
        }
        return bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? (bytes >> 10) + "KiB" : bytes + "B";
    }
}
