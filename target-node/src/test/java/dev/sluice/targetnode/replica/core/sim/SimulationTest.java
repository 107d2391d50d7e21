package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.core.sim.Sim.Kind;
import dev.sluice.testing.PromiseBroken;
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Each seed is a run with faults; all promises hold. `-Dseeds=1-100000` runs more or others, `-Dtrace=true`
/// prints what happens, `-Dbroken=no_lease` breaks rules.
@Tag("compute")
final class SimulationTest {
    private static final boolean TRACE = Boolean.getBoolean("trace");
    private static final String BROKEN = System.getProperty("broken", "");

    /// Most faults: moves within a slot, one replica, draining.
    @Test
    void promisesHoldUnderFaults() {
        run(System.getProperty("seeds", "1-200"), Kind.MODEL);
    }

    @Test
    void promisesHoldUnderFaultsWithThePlannerOfTheControllers() {
        run(System.getProperty("seeds", "1-200"), Kind.PRODUCTION);
    }

    /// Targets do not hear each other, or only in one direction; each hears the controllers.
    @Test
    void promisesHoldWhileTargetsAreCutOffFromEachOther() {
        run(System.getProperty("seeds", "1-60"), Kind.PRODUCTION_CUTS);
    }

    @Test
    void promisesHoldWhileTargetsAreCutOffWithThePlannerOfTheModel() {
        run(System.getProperty("seeds", "1-60"), Kind.MODEL_CUTS);
    }

    @Test
    void promisesHoldWhileDrivesPurgeWhatTheyHaveOfSlotsTheyLeft() {
        run(System.getProperty("seeds", "1-100"), Kind.MODEL_PURGES);
    }

    /// Objects are made from slices; positions change hands.
    @Test
    void promisesHoldWhereMembersHaveSlices() {
        run(System.getProperty("seeds", "1-150"), Kind.CODED);
    }

    private static void run(String seeds, Kind kind) {
        long first = Long.parseLong(seeds.split("-", -1)[0]);
        long last = Long.parseLong(seeds.split("-", -1)[1]);
        var broken = BROKEN.isEmpty() ? Set.<String>of() : Set.of(BROKEN.split(",", -1));
        var failures = new ArrayList<String>();
        var faults = new TreeMap<String, Integer>();
        int operations = 0;
        int notJudged = 0;
        long started = System.nanoTime();
        for (long seed = first; seed <= last; seed++) {
            var result = Sim.run(seed, broken, TRACE, kind);
            if (result.violation().isPresent()) {
                failures.add(message(seed, result.violation().get(), kind));
                System.out.println(failures.getLast());
            }
            operations += result.operations();
            notJudged += result.notJudged();
            result.faults().forEach((fault, times) -> faults.merge(fault, times, Integer::sum));
        }
        long millis = (System.nanoTime() - started) / 1_000_000;
        System.out.printf(
                "%d seeds, %d violations, %d operations, %d keys not judged, %d ms, faults %s%n",
                last - first + 1, failures.size(), operations, notJudged, millis, faults);
        if (!failures.isEmpty()) {
            throw new PromiseBroken(String.join(System.lineSeparator(), failures));
        }
        assertThat(operations).isGreaterThan(0);
    }

    private static String message(long seed, String why, Kind kind) {
        var test = switch (kind) {
            case MODEL -> "#promisesHoldUnderFaults";
            case PRODUCTION -> "#promisesHoldUnderFaultsWithThePlannerOfTheControllers";
            case PRODUCTION_CUTS -> "#promisesHoldWhileTargetsAreCutOffFromEachOther";
            case MODEL_PURGES -> "#promisesHoldWhileDrivesPurgeWhatTheyHaveOfSlotsTheyLeft";
            case CODED -> "#promisesHoldWhereMembersHaveSlices";
            case MODEL_CUTS -> "#promisesHoldWhileTargetsAreCutOffWithThePlannerOfTheModel";
        };
        return "seed %d: %s%n  replay: mvn -pl target-node -am test -Dtest='SimulationTest%s' -Dseeds=%d-%d -Dtrace=true -Dsurefire.failIfNoSpecifiedTests=false"
                .formatted(seed, why, test, seed, seed);
    }
}
