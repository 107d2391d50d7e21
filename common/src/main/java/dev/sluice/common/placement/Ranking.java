package dev.sluice.common.placement;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// The candidates in the order of their rendezvous scores, for every slot. Zones do not count here. Made once for a set
/// of candidates; the best ones of each slot are kept, the order of all is computed when it is asked for.
public final class Ranking {
    private static final int MOST_KEPT = 24;

    private final List<Candidate> candidates;
    private final int kept;
    private final char[] best;

    private Ranking(List<Candidate> candidates, int kept, char[] best) {
        this.candidates = candidates;
        this.kept = kept;
        this.best = best;
    }

    public static Ranking of(List<Candidate> candidates) {
        int kept = Math.min(MOST_KEPT, candidates.size());
        var best = new char[Slot.COUNT * kept];
        var scores = new double[Slot.COUNT * kept];
        for (int c = 0; c < candidates.size(); c++) {
            var scorer = Rendezvous.scorer(candidates.get(c));
            for (int slot = 0; slot < Slot.COUNT; slot++) {
                insert(candidates, best, scores, slot * kept, Math.min(c, kept), kept, c, scorer.score(slot));
            }
        }
        return new Ranking(List.copyOf(candidates), kept, best);
    }

    private static void insert(
            List<Candidate> candidates,
            char[] best,
            double[] scores,
            int from,
            int filled,
            int kept,
            int candidate,
            double score) {
        int at = filled;
        while (at > 0 && isBetter(candidates, candidate, score, best[from + at - 1], scores[from + at - 1])) {
            at--;
        }
        if (at < kept) {
            int moved = Math.min(filled, kept - 1) - at;
            System.arraycopy(best, from + at, best, from + at + 1, moved);
            System.arraycopy(scores, from + at, scores, from + at + 1, moved);
            best[from + at] = (char) candidate;
            scores[from + at] = score;
        }
    }

    private static boolean isBetter(List<Candidate> candidates, int one, double score, int other, double otherScore) {
        return score > otherScore
                || (score == otherScore
                        && candidates
                                        .get(one)
                                        .id()
                                        .compareTo(candidates.get(other).id())
                                < 0);
    }

    public List<Candidate> candidates() {
        return candidates;
    }

    /// How many [#best] knows of each slot.
    public int kept() {
        return kept;
    }

    /// The index of the candidate at this place, of those kept.
    public int best(int slot, int place) {
        return best[slot * kept + place];
    }

    /// The indexes of all candidates, best first. Costs a score for each.
    public int[] all(int slot) {
        var scores = candidates.stream()
                .mapToDouble(candidate -> Rendezvous.score(candidate, slot))
                .toArray();
        return IntStream.range(0, scores.length)
                .boxed()
                .sorted(Comparator.comparingDouble((Integer c) -> -scores[c])
                        .thenComparing(c -> candidates.get(c).id()))
                .mapToInt(c -> c)
                .toArray();
    }
}
