package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.sim.RuleTable.Evidence;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Looks for a seed of each rule that has none, or whose seed shows nothing any more, and rewrites the table. Not a
/// part of the tests: `deploy/broken-rules-seeds` runs it.
final class BrokenRuleSeeds {
    private static final Duration LIMIT = Duration.ofSeconds(Long.getLong("sluice.rules.seconds", 3600));

    @Test
    @Timeout(value = 7, unit = TimeUnit.DAYS)
    void areWrittenIntoTheTable() {
        var table = RuleTable.read();
        var rules = new TreeMap<String, Evidence>();
        for (var rule : RuleTable.known()) {
            rules.put(rule, table.rules().getOrDefault(rule, new Evidence.Argument("")));
        }
        for (var rule : RuleTable.known()) {
            var was = Known.of(rules, rule);
            var now = switch (was) {
                case Evidence.History history -> history;
                case Evidence.Seed(long seed) when BrokenRulesTest.shows(seed, rule) -> was;
                case Evidence.Seed _ -> found(rule, new Evidence.Argument(""));
                case Evidence.Argument argument -> found(rule, argument);
            };
            rules.put(rule, now);
            // after each rule, so that an interrupted search keeps what it found
            new RuleTable(table.comment(), rules).write();
        }
    }

    private static Evidence found(String rule, Evidence.Argument otherwise) {
        var seed = seed(rule);
        return seed.isPresent() ? new Evidence.Seed(seed.getAsLong()) : otherwise;
    }

    private static OptionalLong seed(String rule) {
        long started = System.nanoTime();
        for (long seed = 1; System.nanoTime() - started < LIMIT.toNanos(); seed++) {
            if (BrokenRulesTest.shows(seed, rule)) {
                return OptionalLong.of(seed);
            }
        }
        return OptionalLong.empty();
    }
}
