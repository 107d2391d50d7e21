package dev.sluice.targetnode.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.storage.FaultTable.Harm;
import dev.sluice.targetnode.storage.FaultTable.Kind;
import dev.sluice.targetnode.storage.FaultTable.Row;
import dev.sluice.targetnode.storage.FaultTable.Seen;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/// One test for each row of the [FaultTable]. The rows' runs, which mostly wait, go on beside each other.
class FaultTableTest {
    private static final int AT_ONCE = 12;
    private static final int FILES = 6;
    private static final int VARIANTS = 3;
    private static final int FIRST_BLOCK = 1;

    @TempDir
    private static Path folder;

    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final ExecutorService THREADS = Executors.newFixedThreadPool(AT_ONCE);
    private static FaultDrive drive;
    private static FaultDrive foreign;

    @BeforeAll
    static void makeDrives() throws IOException {
        drive = new FaultDrive(folder.resolve("template"), 1000);
        foreign = new FaultDrive(folder.resolve("foreign"), 2000);
    }

    @AfterAll
    static void end() {
        THREADS.close();
    }

    @Test
    void everyCombinationHasARowOrAReason() {
        int all = Kind.values().length * Seen.values().length * Harm.values().length;
        assertThat(FaultTable.rows().size() + FaultTable.reasons().size()).isEqualTo(all);
        assertThat(FaultTable.reasons()).allMatch(letter -> "abcdefghijklmn".contains(letter));
        assertThat(FaultTable.rows().stream().map(Row::kind)).containsAll(EnumSet.allOf(Kind.class));
    }

    /// Each row once, with the moments, the files of the kind and the harm's variants taking turns.
    @TestFactory
    Stream<DynamicTest> rows() {
        var turn = new AtomicInteger();
        return tests(row -> {
            int now = turn.getAndIncrement();
            var moments = FaultRun.moments(row);
            return List.of(run(row, moments.get(now % moments.size()), now, now));
        });
    }

    /// Each row once at each moment, with the files of the kind and the harm's variants taking turns.
    @Tag("long")
    @TestFactory
    Stream<DynamicTest> rowsAtEachMoment() {
        return tests(row -> {
            var runs = new ArrayList<FaultRun>();
            for (var moment : FaultRun.moments(row)) {
                runs.add(run(row, moment, runs.size(), runs.size()));
            }
            for (int file = 0; row.kind() == Kind.SST && file < FILES; file++) {
                // one of them has the objects, and its first block is read at a look-up only
                runs.add(run(row, FaultRun.Moment.CLOSED, file, FIRST_BLOCK));
            }
            return runs;
        });
    }

    /// Each row with every file and every variant at every moment.
    @Tag("long")
    @TestFactory
    Stream<DynamicTest> allOfEachRow() {
        return tests(row -> {
            var runs = new ArrayList<FaultRun>();
            for (var moment : FaultRun.moments(row)) {
                for (int file = 0; file < files(row); file++) {
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        runs.add(run(row, moment, file, variant));
                    }
                }
            }
            return runs;
        });
    }

    @TestFactory
    Stream<DynamicTest> rowsOfTheClustersState() {
        return FaultTable.rows().stream()
                .filter(row -> row.kind() == Kind.STATE)
                .map(row -> DynamicTest.dynamicTest(row.toString(), () -> {
                    for (int variant = 0; variant < VARIANTS; variant++) {
                        new StateFaultRun(row, variant, folder.resolve("state" + RUNS.incrementAndGet())).run();
                    }
                }));
    }

    private static int files(Row row) {
        return row.seen() == Seen.WRITE
                        || Set.of(Kind.IDENTITY, Kind.DRIVES, Kind.ENDED, Kind.MANIFEST, Kind.CURRENT, Kind.SYNCED)
                                .contains(row.kind())
                ? 1
                : FILES;
    }

    private interface RunsOf {
        List<FaultRun> of(Row row);
    }

    private static Stream<DynamicTest> tests(RunsOf runs) {
        return FaultTable.rows().stream()
                .filter(row -> row.kind() != Kind.STATE)
                .map(row -> started(row, runs.of(row)))
                .toList()
                .stream();
    }

    private static DynamicTest started(Row row, List<FaultRun> runs) {
        var started = new ArrayList<Future<?>>();
        runs.forEach(run -> started.add(THREADS.submit(run::run)));
        return DynamicTest.dynamicTest(row.toString(), () -> {
            for (var run : started) {
                try {
                    run.get();
                } catch (ExecutionException failure) {
                    throw failure.getCause() == null ? failure : failure.getCause();
                }
            }
        });
    }

    private static FaultRun run(Row row, FaultRun.Moment moment, int turn, int variant) {
        var at = folder.resolve("run" + RUNS.incrementAndGet());
        return new FaultRun(row, moment, turn, variant, drive, foreign, at);
    }
}
