package dev.sluice.cli.demo.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long RATE = 100 << 20;

    private final AtomicLong clock = new AtomicLong(1_000);

    @Test
    void bytesPassAtTheGivenRate() {
        var pace = new Pace(RATE, clock::get, clock::addAndGet);
        assertThat(bytesPerSecond(pace)).isCloseTo(RATE, within(RATE * 0.001));
    }

    @Test
    void sleepingTooLongLosesNoThroughput() {
        var random = new Random(3);
        var pace = new Pace(RATE, clock::get, nanos -> clock.addAndGet(nanos + random.nextInt(1_000_000)));
        assertThat(bytesPerSecond(pace)).isCloseTo(RATE, within(RATE * 0.01));
    }

    @Test
    void idleTimeIsNotSavedUp() {
        var pace = new Pace(RATE, clock::get, clock::addAndGet);
        clock.addAndGet(60_000_000_000L);
        long before = clock.get();
        pace.await((int) RATE);
        assertThat(clock.get() - before).isCloseTo(1_000_000_000L, within(11_000_000L));
    }

    private double bytesPerSecond(Pace pace) {
        var random = new Random(4);
        long start = clock.get();
        long bytes = 0;
        while (bytes < 4 * RATE) {
            int chunk = random.nextInt(1, 32 << 10);
            pace.await(chunk);
            bytes += chunk;
        }
        return bytes * 1e9 / (clock.get() - start);
    }
}
