package dev.sluice.cli.api;

import dev.sluice.common.cluster.slots.SlotCounts;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// What an operator reads of slots.
public final class SlotTexts {
    private static final int MOST_NAMED = 8;

    private SlotTexts() {}

    /// Which losses the served slots survive; empty when none is served.
    public static Optional<String> surviving(SlotCounts slots) {
        var protection = slots.protection();
        long served = slots.full() + slots.degraded();
        if (served == 0) {
            return Optional.empty();
        }
        var each = protection.surviving().entrySet().stream()
                .map(entry -> entry.getKey() == 0
                        ? "%d no other loss".formatted(entry.getValue())
                        : "%d the loss of %d more".formatted(entry.getValue(), entry.getKey()))
                .collect(Collectors.joining(", "));
        return Optional.of("targets that the served slots can lose: %s; %d survive the loss of any one zone"
                .formatted(each, protection.zonal()));
    }

    /// Whom slots that are not served wait for; empty when they wait for nobody.
    public static Optional<String> waiting(SlotCounts slots) {
        if (slots.waiting().isEmpty()) {
            return Optional.empty();
        }
        var most = slots.waiting().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_NAMED)
                .map(entry -> "%s (%d)".formatted(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
        return Optional.of(slots.waiting().size() > MOST_NAMED ? most + ", …" : most);
    }
}
