package dev.sluice.common.placement;

import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/// Weighted rendezvous hashing (highest random weight): every candidate has a score for every slot, and the
/// slot belongs to the candidates with the largest ones. Removing a candidate moves only its slots; adding one
/// moves slots only to it.
///
/// score = −weight / ln(u), u = top 53 bits of XXH3-64(id in UTF-8 ‖ slot as two bytes, big-endian) / 2^53;
/// `StrictMath.log` so that every machine agrees; ties go to the smaller id. Cost: one hash and one logarithm for each
/// candidate and slot. Source: Thaler and Ravishankar 1998; the logarithm form after Schindelhauer and Schomaker 2005.
public final class Rendezvous {
    private Rendezvous() {}

    /// All candidates, best first, such that no two of the first n share a zone while another zone is free.
    public static List<Candidate> rank(int slot, Collection<Candidate> candidates) {
        var scored = new ArrayList<Scored>(candidates.size());
        for (var candidate : candidates) {
            scored.add(new Scored(candidate, score(candidate, slot)));
        }
        scored.sort(Scored.BEST_FIRST);
        var waiting = scored.stream().map(Scored::candidate).toList();
        var ranked = new ArrayList<Candidate>(waiting.size());
        while (!waiting.isEmpty()) {
            var zones = new HashSet<String>();
            var later = new ArrayList<Candidate>();
            for (var candidate : waiting) {
                (candidate.zone().isEmpty() || zones.add(candidate.zone()) ? ranked : later).add(candidate);
            }
            waiting = later;
        }
        return ranked;
    }

    /// For each slot the index, in `candidates`, of the best one. Empty when there is no candidate.
    public static int[] owners(List<Candidate> candidates) {
        if (candidates.isEmpty()) {
            return new int[0];
        }
        var owners = new int[Slot.COUNT];
        var best = new double[Slot.COUNT];
        Arrays.fill(best, -1);
        for (int c = 0; c < candidates.size(); c++) {
            var candidate = candidates.get(c);
            var bytes = idWithSlot(candidate.id());
            for (int slot = 0; slot < Slot.COUNT; slot++) {
                double score = score(bytes, candidate.weight(), slot);
                if (score > best[slot]
                        || (score == best[slot]
                                && candidate
                                                .id()
                                                .compareTo(candidates
                                                        .get(owners[slot])
                                                        .id())
                                        < 0)) {
                    best[slot] = score;
                    owners[slot] = c;
                }
            }
        }
        return owners;
    }

    /// Scores of one candidate.
    interface Scorer {
        double score(int slot);
    }

    /// For one thread.
    static Scorer scorer(Candidate candidate) {
        var bytes = idWithSlot(candidate.id());
        return slot -> score(bytes, candidate.weight(), slot);
    }

    static double score(Candidate candidate, int slot) {
        return score(idWithSlot(candidate.id()), candidate.weight(), slot);
    }

    private static double score(byte[] idWithSlot, double weight, int slot) {
        idWithSlot[idWithSlot.length - 2] = (byte) (slot >>> 8);
        idWithSlot[idWithSlot.length - 1] = (byte) slot;
        double u = (Hashing.xxh3_64().hashBytesToLong(idWithSlot) >>> 11) * 0x1p-53;
        return -weight / StrictMath.log(u);
    }

    private static byte[] idWithSlot(String id) {
        var utf8 = id.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(utf8, utf8.length + 2);
    }

    private record Scored(Candidate candidate, double score) {
        static final Comparator<Scored> BEST_FIRST = Comparator.comparingDouble(Scored::score)
                .reversed()
                .thenComparing(scored -> scored.candidate().id());
    }
}
