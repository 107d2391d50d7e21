package dev.sluice.common.placement;

/// One node, or one drive, that may hold slots.
///
/// @param weight its share, proportional to capacity
/// @param zone its failure domain; empty when it has none but itself
public record Candidate(String id, double weight, String zone) {
    public Candidate {
        if (!(weight > 0) || Double.isInfinite(weight)) {
            throw new IllegalArgumentException("weight of " + id + " is " + weight);
        }
    }

    public Candidate(String id, double weight) {
        this(id, weight, "");
    }
}
