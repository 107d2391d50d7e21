package dev.sluice.common.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names with numbers in them: `shard-{000000..009999}.tar`, also with steps (`{0..100..10}`) and several ranges, of
/// which the last one counts fastest. The first number's digits say how many each has at least. Names are made when
/// they are asked for.
public final class NameTemplate {
    public static final long MOST_NAMES = 10_000_000;

    /// In bytes of UTF-8, as S3's longest key.
    public static final int LONGEST_NAME = 1024;

    private static final int MOST_TEXT = 2048;

    private static final Pattern RANGE = Pattern.compile("\\{(\\d{1,18})\\.\\.(\\d{1,18})(?:\\.\\.(\\d{1,18}))?}");

    private final List<String> texts = new ArrayList<>(); // before, between and behind the ranges
    private final List<Range> ranges = new ArrayList<>();
    private final long size;

    private record Range(long first, long count, long step, int digits) {
        static Range of(Matcher found) {
            long first = Long.parseLong(found.group(1));
            long last = Long.parseLong(found.group(2));
            long step = found.group(3) == null ? 1 : Long.parseLong(found.group(3));
            if (last < first || step == 0) {
                throw new IllegalArgumentException(
                        "the range %s is empty: write {first..last} or {first..last..step}".formatted(found.group()));
            }
            return new Range(
                    first, (last - first) / step + 1, step, found.group(1).length());
        }

        String text(long index) {
            var number = Long.toString(first + index * step);
            return "0".repeat(Math.max(0, digits - number.length())) + number;
        }
    }

    private NameTemplate(String template) {
        if (template.length() > MOST_TEXT) {
            throw new IllegalArgumentException("the template has more than %d characters".formatted(MOST_TEXT));
        }
        var found = RANGE.matcher(template);
        int from = 0;
        while (found.find()) {
            texts.add(plain(template, from, found.start()));
            ranges.add(Range.of(found));
            from = found.end();
        }
        texts.add(plain(template, from, template.length()));
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("the template '%s' has no range such as {000..999}".formatted(template));
        }
        long product = 1;
        for (var range : ranges) {
            product = product > Long.MAX_VALUE / range.count ? Long.MAX_VALUE : product * range.count;
        }
        this.size = product;
        if (size > MOST_NAMES) {
            throw new IllegalArgumentException(
                    "the template '%s' has more than %d names".formatted(template, MOST_NAMES));
        }
        if (name(size - 1).getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new IllegalArgumentException(
                    "the template '%s' has names of more than %d bytes".formatted(template, LONGEST_NAME));
        }
    }

    private static String plain(String template, int from, int to) {
        var text = template.substring(from, to);
        if (text.contains("{") || text.contains("}")) {
            throw new IllegalArgumentException(
                    "'%s' in the template '%s' is no range: write {first..last} or {first..last..step}"
                            .formatted(text, template));
        }
        return text;
    }

    /// @throws IllegalArgumentException saying what is wrong with it
    public static NameTemplate of(String template) {
        return new NameTemplate(template);
    }

    /// How many names there are.
    public long size() {
        return size;
    }

    /// What all names begin with.
    public String prefix() {
        return texts.getFirst();
    }

    /// @param index from 0
    public String name(long index) {
        var parts = new String[ranges.size()];
        long left = index;
        for (int i = ranges.size() - 1; i >= 0; i--) {
            var range = ranges.get(i);
            parts[i] = range.text(left % range.count);
            left /= range.count;
        }
        var name = new StringBuilder(texts.getFirst());
        for (int i = 0; i < parts.length; i++) {
            name.append(parts[i]).append(texts.get(i + 1));
        }
        return name.toString();
    }
}
