package dev.sluice.common.cluster.slots;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.sluice.common.placement.Candidate;
import dev.sluice.common.placement.Ranking;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Every drive that was ever registered, by id. It remembers its ranking once somebody asked for it.
public final class DriveTable {
    public static final DriveTable EMPTY = new DriveTable(new TreeMap<>());

    private final SortedMap<String, DriveEntry> entries;
    private volatile Optional<Ranking> ranking = Optional.empty();

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public DriveTable(SortedMap<String, DriveEntry> entries) {
        this.entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    @JsonValue
    public SortedMap<String, DriveEntry> entries() {
        return entries;
    }

    public Optional<DriveEntry> find(String drive) {
        return Optional.ofNullable(entries.get(drive));
    }

    /// The order of all these drives for each slot. Made when it is first asked for: only a controller that plans does.
    Ranking ranking() {
        var known = ranking;
        if (known.isPresent()) {
            return known.get();
        }
        var made = Ranking.of(entries.entrySet().stream()
                .map(entry -> new Candidate(entry.getKey(), entry.getValue().weight()))
                .toList());
        ranking = Optional.of(made);
        return made;
    }

    DriveTable with(SortedMap<String, DriveEntry> changed) {
        if (changed.equals(entries)) {
            return this;
        }
        var next = new DriveTable(changed);
        if (new ArrayList<>(changed.keySet()).equals(new ArrayList<>(entries.keySet()))) {
            next.ranking = ranking; // weights never change
        }
        return next;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DriveTable table && entries.equals(table.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return entries.toString();
    }
}
