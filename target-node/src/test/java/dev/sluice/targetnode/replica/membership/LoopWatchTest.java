package dev.sluice.targetnode.replica.membership;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.loop.RecordedLoops;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The loops of two drives, looked at as if time passed.
@Timeout(60)
class LoopWatchTest {
    private static final long TICK = LoopWatch.TICK.toNanos();

    @TempDir
    private Path folder;

    private final CountDownLatch held = new CountDownLatch(1);
    private final List<String> standing = new ArrayList<>();
    private RecordedLoops loops;
    private LoopWatch watch;
    private long now;

    @BeforeEach
    void begin() throws Exception {
        loops = new RecordedLoops(folder, 1, "d1", "d2");
        watch = new LoopWatch(FollowedStates.SELF, loops.byDrive()::values, loop -> standing.add(loop.id()));
    }

    @AfterEach
    void end() {
        held.countDown();
        loops.close();
    }

    /// Until a step of the drive hangs.
    private void hang(String drive) {
        var loop = loops.loop(drive);
        loop.run(() -> {
            try {
                held.await();
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
            }
        });
        eventually(() -> loop.stepBegan().isPresent());
        now = loop.stepBegan().orElseThrow();
    }

    private void pass(int ticks) {
        for (int i = 0; i < ticks; i++) {
            now += TICK;
            watch.tick(now);
        }
    }

    @Test
    void stepOfASecondIsAStandstill() {
        hang("d1");
        pass(9);
        assertThat(standing).isEmpty();
        pass(2);
        assertThat(standing).isNotEmpty().containsOnly("d1");
    }

    @Test
    void loopWithNothingToDoDoesNotStandStill() {
        loops.awaitAll();
        eventually(() -> loops.byDrive().values().stream()
                .allMatch(loop -> loop.stepBegan().isEmpty()));
        now = System.nanoTime();
        pass(100);
        assertThat(standing).isEmpty();
    }

    @Test
    void timeInWhichTheProcessStoodStillDoesNotCount() {
        hang("d1");
        pass(5);
        now += 20 * TICK;
        pass(9);
        assertThat(standing).as("after a pause of two seconds").isEmpty();
        pass(3);
        assertThat(standing).isNotEmpty();
    }
}
