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

/// Every drive that was ever registered, by id. It remembers its ranking once that was computed.
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

    /// Computes now what plans and nodes with replicas need of these drives: it takes too long while slots wait.
    public void prepare() {
        ranking();
    }

    /// The order of all these drives for each slot. Computed when it is first asked for.
    public Ranking ranking() {
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

    public DriveTable with(SortedMap<String, DriveEntry> changed) {
        if (changed.equals(entries)) {
            return this;
        }
        return new DriveTable(changed).keepingRanking(this);
    }

    /// This table, with the other one's ranking if it has the same drives: weights never change.
    DriveTable keepingRanking(DriveTable known) {
        if (ranking.isEmpty() && new ArrayList<>(entries.keySet()).equals(new ArrayList<>(known.entries.keySet()))) {
            ranking = known.ranking;
        }
        return this;
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
