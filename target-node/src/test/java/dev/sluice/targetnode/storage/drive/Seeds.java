package dev.sluice.targetnode.storage.drive;

import dev.sluice.targetnode.storage.files.DriveThread;
import java.io.IOException;
import java.util.Optional;

/// Runs a simulation once for each of many seeds, on a thread that may block as a drive's may. How many, and the first
/// of them, are said by `-Dsluice.crash.seeds` and `-Dsluice.crash.seed`.
public final class Seeds {
    private static final int COUNT = Integer.getInteger("sluice.crash.seeds", 500);
    private static final long FIRST = Long.getLong("sluice.crash.seed", 1);

    /// One run.
    public interface Simulation {
        void run(long seed) throws IOException;
    }

    private Seeds() {}

    /// @throws AssertionError with the number of the first seed that failed
    public static void each(Simulation simulation) throws InterruptedException {
        var failure = new Optional<?>[] {Optional.empty()};
        var thread = new DriveThread(
                () -> {
                    for (long seed = FIRST; seed < FIRST + COUNT; seed++) {
                        try {
                            simulation.run(seed);
                        } catch (IOException | RuntimeException | Error wrong) {
                            failure[0] = Optional.of(new AssertionError("seed " + seed, wrong));
                            return;
                        }
                    }
                },
                "simulation");
        thread.start();
        thread.join();
        if (failure[0].orElse(null) instanceof AssertionError wrong) {
            throw wrong;
        }
    }
}
