package dev.sluice.common.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RendezvousTest {
    private static final long SEED = 20261121;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 10})
    void removingACandidateMovesOnlyItsSlots(int count) {
        var before = targets(count, new Random(SEED));
        var gone = before.get(count / 2);
        var after = new ArrayList<>(before);
        after.remove(gone);
        var ownersBefore = Rendezvous.owners(before);
        var ownersAfter = Rendezvous.owners(after);
        for (int slot = 0; slot < Slot.COUNT; slot++) {
            var owner = before.get(ownersBefore[slot]);
            if (!owner.equals(gone)) {
                assertThat(after.get(ownersAfter[slot])).as("slot %d", slot).isEqualTo(owner);
            }
        }
    }

    @Test
    void addingACandidateMovesSlotsOnlyToIt() {
        var before = targets(6, new Random(SEED));
        var after = new ArrayList<>(before);
        var added = new Candidate("target099", 3);
        after.add(added);
        var random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            int slot = random.nextInt(Slot.COUNT);
            var ranked = new ArrayList<>(Rendezvous.rank(slot, after));
            ranked.remove(added);
            assertThat(ranked).as("slot %d", slot).isEqualTo(Rendezvous.rank(slot, before));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 10})
    void equalWeightsGetEqualSharesWithinFivePercent(int count) {
        var candidates = IntStream.range(0, count)
                .mapToObj(i -> new Candidate("target%03d".formatted(i), 1))
                .toList();
        var shares = shares(candidates);
        for (int share : shares) {
            assertThat((double) share * count / Slot.COUNT).isBetween(0.95, 1.05);
        }
    }

    @Test
    void sharesFollowWeights() {
        var shares = shares(List.of(new Candidate("target001", 1), new Candidate("target002", 3)));
        assertThat((double) shares[1] / Slot.COUNT).isBetween(0.735, 0.765);
    }

    @Test
    void theOwnerTableAgreesWithTheRanking() {
        var candidates = targets(5, new Random(SEED));
        var owners = Rendezvous.owners(candidates);
        var random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            int slot = random.nextInt(Slot.COUNT);
            assertThat(candidates.get(owners[slot]))
                    .isEqualTo(Rendezvous.rank(slot, candidates).getFirst());
        }
    }

    @Test
    void noTwoOfTheFirstShareAZoneWhileAnotherIsFree() {
        var candidates = new ArrayList<Candidate>();
        for (int i = 0; i < 9; i++) {
            candidates.add(new Candidate("target%03d".formatted(i), 1 + i % 3, "zone" + i % 3));
        }
        var random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            var ranked = Rendezvous.rank(random.nextInt(Slot.COUNT), candidates);
            assertThat(ranked).containsExactlyInAnyOrderElementsOf(candidates);
            for (int round = 0; round < 3; round++) {
                assertThat(ranked.subList(round * 3, round * 3 + 3).stream().map(Candidate::zone))
                        .doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void keysSpreadOverTheSlots() {
        var hits = new int[16];
        for (int i = 0; i < 64_000; i++) {
            hits[Slot.of(7, "train/%06d.tar".formatted(i)) >>> 12]++;
        }
        for (int hit : hits) {
            assertThat(hit).isBetween(3_700, 4_300);
        }
    }

    /// Golden, made with the xxhash package for Python: a change of these moves every object of every cluster.
    @Test
    void goldenVectors() {
        assertThat(Slot.of(1, "")).isEqualTo(GOLDEN_SLOTS[0]);
        assertThat(Slot.of(1, "a")).isEqualTo(GOLDEN_SLOTS[1]);
        assertThat(Slot.of(2, "a")).isEqualTo(GOLDEN_SLOTS[2]);
        assertThat(Slot.of(1L << 40, "train/000000.tar")).isEqualTo(GOLDEN_SLOTS[3]);
        assertThat(Slot.of(3, "schlüssel/鍵/🔑")).isEqualTo(GOLDEN_SLOTS[4]);
        var four = List.of(
                new Candidate("target001", 1),
                new Candidate("target002", 2),
                new Candidate("target003", 1),
                new Candidate("target004", 0.5));
        var first = new StringBuilder();
        for (int slot = 0; slot < 32; slot++) {
            first.append(Rendezvous.rank(slot * 2_011, four).getFirst().id().charAt(8));
        }
        assertThat(first.toString()).isEqualTo(GOLDEN_OWNERS);
        assertThat(Rendezvous.score(four.getFirst(), 12_345)).isEqualTo(GOLDEN_SCORE);
    }

    private static final int[] GOLDEN_SLOTS = {49214, 10657, 60986, 18832, 6310};
    private static final String GOLDEN_OWNERS = "24222334224211312123412221223123";
    private static final double GOLDEN_SCORE = 0.8847689170426905;

    private static int[] shares(List<Candidate> candidates) {
        var shares = new int[candidates.size()];
        for (int owner : Rendezvous.owners(candidates)) {
            shares[owner]++;
        }
        return shares;
    }

    private static List<Candidate> targets(int count, Random random) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Candidate("target%03d".formatted(i), 1 + random.nextInt(4)))
                .toList();
    }
}
