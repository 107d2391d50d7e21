package dev.sluice.common.jobs;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;

/// Keys that a job names one by one, each once. The controller's state has them while the job runs, so they
/// are bounded.
///
/// @param names without those of a job that has ended
/// @param count how many there are, also of a job that has ended
public record NameList(List<String> names, int count) {
    /// Of all names together, in JSON.
    public static final int MOST_BYTES = 64 << 10;

    public NameList {
        names = List.copyOf(names);
    }

    /// @throws IllegalArgumentException saying what is wrong with them
    public static NameList of(List<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("the list has no names");
        }
        var distinct = List.copyOf(new LinkedHashSet<>(names));
        long bytes = 0;
        for (var name : distinct) {
            if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > NameTemplate.LONGEST_NAME) {
                throw new IllegalArgumentException("the list has a name of no bytes, or of more than %d: '%s'"
                        .formatted(NameTemplate.LONGEST_NAME, ShortText.of(name, 100)));
            }
            bytes += ShortText.length(name) + "\"\",".length();
        }
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "the list has %d KiB of names, a job takes %d KiB: split it, or use a prefix or a template"
                            .formatted((bytes + 1023) >> 10, MOST_BYTES >> 10));
        }
        return new NameList(distinct, distinct.size());
    }

    NameList shortened() {
        return new NameList(List.of(), count);
    }
}
