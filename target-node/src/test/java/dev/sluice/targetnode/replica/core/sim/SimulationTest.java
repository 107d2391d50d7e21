package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/// Each seed is a run with faults; all promises hold. `-Dseeds=1-100000` runs more or others, `-Dtrace=true` prints
/// what
/// happens, `-Dbroken=no_lease` breaks rules.
final class SimulationTest {
    private static final String SEEDS = System.getProperty("seeds", "1-200");
    private static final boolean TRACE = Boolean.getBoolean("trace");
    private static final String BROKEN = System.getProperty("broken", "");

    @Test
    void promisesHoldUnderFaults() {
        long first = Long.parseLong(SEEDS.split("-", -1)[0]);
        long last = Long.parseLong(SEEDS.split("-", -1)[1]);
        var broken = BROKEN.isEmpty() ? Set.<String>of() : Set.of(BROKEN.split(",", -1));
        var failures = new ArrayList<String>();
        var faults = new TreeMap<String, Integer>();
        long started = System.nanoTime();
        var results = LongStream.rangeClosed(first, last)
                .mapToObj(seed -> {
                    var result = Sim.run(seed, broken, TRACE);
                    result.violation().ifPresent(why -> System.out.println(message(seed, why)));
                    return result.violation()
                            .map(why -> new Sim.Result(
                                    java.util.Optional.of(message(seed, why)),
                                    result.operations(),
                                    result.notJudged(),
                                    result.faults()))
                            .orElse(result);
                })
                .toList();
        int operations = 0;
        int notJudged = 0;
        for (var result : results) {
            result.violation().ifPresent(failures::add);
            operations += result.operations();
            notJudged += result.notJudged();
            result.faults().forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
        }
        System.out.printf(
                "%d seeds, %d violations, %d operations, %d keys not judged, %d ms, faults %s%n",
                results.size(),
                failures.size(),
                operations,
                notJudged,
                (System.nanoTime() - started) / 1_000_000,
                faults);
        assertThat(failures).isEmpty();
        assertThat(operations).isGreaterThan(0);
    }

    private static String message(long seed, String why) {
        return "seed " + seed + ": " + why + "\n  replay: mvn -pl target-node -am test -Dtest=SimulationTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtrace=true -Dseeds=" + seed + "-" + seed;
    }
}
