package dev.sluice.targetnode.storage.spread;

import dev.sluice.common.placement.Candidate;
import dev.sluice.common.placement.Rendezvous;
import dev.sluice.common.placement.Slot;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/// A set of drives that took writes together, and each slot's ranking of them. Two with the same drives are equal.
public final class Spread {
    private final SortedMap<String, Long> weights;
    private final List<Candidate> candidates;
    private final AtomicReferenceArray<List<String>> ranks = new AtomicReferenceArray<>(Slot.COUNT);

    /// @param weights of the drives by id
    public Spread(Map<String, Long> weights) {
        this.weights = Collections.unmodifiableSortedMap(new TreeMap<>(weights));
        this.candidates = this.weights.entrySet().stream()
                .map(entry -> new Candidate(entry.getKey(), entry.getValue()))
                .toList();
    }

    public SortedMap<String, Long> weights() {
        return weights;
    }

    public boolean has(String id) {
        return weights.containsKey(id);
    }

    public int size() {
        return weights.size();
    }

    Spread without(String id) {
        var left = new TreeMap<>(weights);
        left.remove(id);
        return new Spread(left);
    }

    Spread with(String id, long weight) {
        var more = new TreeMap<>(weights);
        more.put(id, weight);
        return new Spread(more);
    }

    /// The drives that a slot's objects belong on, best first; fewer than wanted when there are no more.
    public List<String> holders(int slot, int copies) {
        var ranked = ranks.getPlain(slot);
        if (ranked == null) {
            ranked = Rendezvous.rank(slot, candidates).stream()
                    .map(Candidate::id)
                    .toList();
            ranks.setRelease(slot, ranked);
        }
        return copies >= ranked.size() ? ranked : ranked.subList(0, copies);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Spread spread && spread.weights.equals(weights);
    }

    @Override
    public int hashCode() {
        return weights.hashCode();
    }

    @Override
    public String toString() {
        return weights.keySet().toString();
    }
}
