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
import java.util.function.Function;
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

    @Test
    void halfOfTheRowsHasEachKindHarmAndPromise() {
        var parts = List.<Function<Row, Object>>of(
                FaultTableTest::use, row -> List.of(row.harm(), row.seen()), Row::promise);
        assertThat(half()).hasSizeBetween(70, 85);
        for (var part : parts) {
            assertThat(half().stream().map(part))
                    .containsAll(FaultTable.rows().stream().map(part).toList());
        }
    }

    /// Each row once, with the moments, the files of the kind and the harm's variants taking turns. Without the long
    /// tests it is every second row.
    @TestFactory
    Stream<DynamicTest> rows() {
        var turn = new AtomicInteger();
        return tests(System.getProperty("long") == null ? half() : FaultTable.rows(), row -> {
            int now = turn.getAndIncrement();
            var moments = FaultRun.moments(row);
            return List.of(run(row, moments.get(now % moments.size()), now, now));
        });
    }

    /// Each row once at each moment, with the files of the kind and the harm's variants taking turns.
    @Tag("long")
    @TestFactory
    Stream<DynamicTest> rowsAtEachMoment() {
        return tests(FaultTable.rows(), row -> {
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
        return tests(FaultTable.rows(), row -> {
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

    /// As the white squares of a chessboard: of the harms, a kind's reads have those that its writes have not. A row
    /// without another one of its kind is one of them.
    private static List<Row> half() {
        var rows = FaultTable.rows();
        return rows.stream()
                .filter(row -> isWhite(row)
                        || rows.stream()
                                        .filter(other -> use(other).equals(use(row)))
                                        .count()
                                == 1)
                .toList();
    }

    private static boolean isWhite(Row row) {
        return (row.kind().ordinal() + row.seen().ordinal() + row.harm().ordinal()) % 2 == 0;
    }

    private static List<Object> use(Row row) {
        return List.of(row.kind(), row.seen());
    }

    private interface RunsOf {
        List<FaultRun> of(Row row);
    }

    private static Stream<DynamicTest> tests(List<Row> rows, RunsOf runs) {
        return rows.stream()
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
