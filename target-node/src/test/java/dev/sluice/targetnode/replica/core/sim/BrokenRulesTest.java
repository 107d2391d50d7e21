package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.core.BrokenRuleHistoriesTest;
import dev.sluice.targetnode.replica.core.HistoryOf;
import dev.sluice.testing.Notes;
import dev.sluice.testing.PromiseBroken;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The simulation finds what comes of a broken rule: without this, clean seeds would say nothing. The rules and their
/// seeds are in `broken-rules.txt`; `deploy/broken-rules-seeds` looks for other seeds.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BrokenRulesTest {
    private static final long OTHER_SEEDS = 300;
    private static final int MOST_STALE = 3;

    /// The model's planner takes no drive back, and only runs with cuts end with a target that hears all but
    /// the leader.
    private static final Set<String> PRODUCTION = Set.of("kept_unmarked", "no_forward", "x_hang", "x_stand");

    private final RuleTable table = RuleTable.read();
    private final Map<String, OptionalLong> found = new HashMap<>();

    private Stream<Arguments> seeds() {
        return table.seeds().entrySet().stream().map(rule -> Arguments.of(rule.getKey(), rule.getValue()));
    }

    /// A change of the simulation changes what a seed does. Then a few others are tried.
    ///
    /// @param known a seed that showed it when the table was written
    @ParameterizedTest
    @MethodSource("seeds")
    void brokenRuleIsSeen(String rule, long known) {
        var seed = seed(rule, known);
        if (seed.isEmpty()) {
            Notes.add("stale rule %s: neither seed %d nor seeds 1 to %d show it; run deploy/broken-rules-seeds"
                    .formatted(rule, known, OTHER_SEEDS));
        } else if (seed.getAsLong() != known) {
            Notes.add("broken rule %s: seed %d shows nothing, seed %d does: write it into broken-rules.txt"
                    .formatted(rule, known, seed.getAsLong()));
        }
    }

    /// Also when Surefire runs only this again.
    @AfterAll
    void fewRulesAreStale() {
        var stale = table.seeds().entrySet().stream()
                .filter(rule -> seed(rule.getKey(), rule.getValue()).isEmpty())
                .map(Map.Entry::getKey);
        assertThat(stale)
                .as("rules whose seeds show nothing any more: run deploy/broken-rules-seeds")
                .hasSizeLessThanOrEqualTo(MOST_STALE);
    }

    private OptionalLong seed(String rule, long known) {
        return found.computeIfAbsent(
                rule,
                _ -> LongStream.concat(LongStream.of(known), LongStream.rangeClosed(1, OTHER_SEEDS))
                        .filter(seed -> shows(seed, rule))
                        .findFirst());
    }

    /// Whether the simulation sees that the rule is broken, and nothing while it is kept.
    static boolean shows(long seed, String rule) {
        var kind = kind(rule);
        if (Sim.run(seed, Set.of(rule), false, kind).violation().isEmpty()) {
            return false;
        }
        Sim.run(seed, Set.of(), false, kind).violation().ifPresent(why -> {
            throw new PromiseBroken("seed %d, with all rules kept: %s".formatted(seed, why));
        });
        return true;
    }

    private static Sim.Kind kind(String rule) {
        if (rule.startsWith("x_ec_")) {
            return Sim.Kind.CODED;
        }
        return PRODUCTION.contains(rule)
                ? Sim.Kind.PRODUCTION_CUTS
                : rule.startsWith("x_") ? Sim.Kind.MODEL_CUTS : Sim.Kind.MODEL;
    }

    @Test
    void tableNamesEveryRuleOfTheCodeAndNoOther() {
        assertThat(table.rules().keySet()).containsExactlyElementsOf(RuleTable.known());
    }

    @Test
    void everyHistoryOfTheTableIsATest() {
        var histories = Stream.of(BrokenRuleHistoriesTest.class, LogHistoriesTest.class)
                .flatMap(tests -> Arrays.stream(tests.getDeclaredMethods()))
                .flatMap(test -> Stream.ofNullable(test.getAnnotation(HistoryOf.class)))
                .map(HistoryOf::value);
        assertThat(histories).containsExactlyInAnyOrderElementsOf(table.with(RuleTable.Evidence.History.class));
    }

    @Test
    void everyArgumentOfTheTableHasAReason() {
        assertThat(table.rules().values()).doesNotContain(new RuleTable.Evidence.Argument(""));
    }
}
