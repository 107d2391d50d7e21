package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The simulation finds what comes of a broken rule: without this, clean seeds would say nothing.
final class BrokenRulesTest {
    private static final long MOST_SEEDS = 3_000;

    /// @param known a seed that showed it when this was written; another is looked for when the simulation has changed
    @ParameterizedTest
    @CsvSource({
        "ack_early, 1",
        "no_lease, 5",
        "no_fence, 1",
        "abort_all_have, 1",
        "promote_early, 1",
        "newer_wins, 9",
        "forget_deletes, 27",
        "no_epoch_check, 2",
        "lead_fenced, 2",
        "reuse_version, 2",
        "commit_lacking, 706",
        "serve_lagging, 336",
        "lease_any_version, 55",
        "naive_continuity, 8",
        "learn_at_once, 79",
        "w_register, 96",
        "w_dirty, 17",
        "w_relay, 17",
        "w_flap, 3",
        "w_demote, 17",
        "w_copyback, 29",
        "w_nothing, 27",
        "w_late, 58",
        "w_fence, 39",
    })
    void brokenRuleIsSeen(String rule, long known) {
        assertSeen(rule, known);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"no_stop, 1003", "off_unlogged, 1105", "w_trim, 323"})
    void rarelySeenRuleIsSeen(String rule, long known) {
        assertSeen(rule, known);
    }

    private static void assertSeen(String rule, long known) {
        var broken = Set.of(rule);
        boolean seen = LongStream.concat(LongStream.of(known), LongStream.rangeClosed(1, MOST_SEEDS))
                .anyMatch(seed -> Sim.run(seed, broken, false).violation().isPresent());
        assertThat(seen).as("%s is not seen in %d seeds", rule, MOST_SEEDS).isTrue();
    }
}
