package dev.sluice.targetnode.storage.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class AgeHistogramTest {
    private static final long NOW = 30_000_000;

    @Test
    void classesAreOrderedAndFine() {
        var ages = new AgeHistogram(NOW);
        for (long age = 1; age < NOW; age += 1 + age / 300) {
            int here = ages.ageClass(NOW - age);
            assertThat(here).isGreaterThanOrEqualTo(ages.ageClass(NOW - age + 1));
            long muchOlder = age + age / 64 + 1;
            assertThat(ages.ageClass(NOW - muchOlder)).as("age %d", age).isGreaterThan(here);
        }
        assertThat(ages.ageClass(NOW + 5)).isEqualTo(ages.ageClass(NOW)); // a clock that was set back
        assertThat(ages.ageClass(Long.MIN_VALUE / 2)).isGreaterThan(ages.ageClass(0));
    }

    /// What lies beyond the cut, and the part of its class, is what was wanted.
    @Test
    void aCutIsAsLargeAsWanted() {
        var random = new Random(3);
        for (int round = 0; round < 200; round++) {
            var ages = new AgeHistogram(NOW);
            var minutes = random.longs(100, 0, NOW).toArray();
            for (long minute : minutes) {
                ages.add(minute, 10);
            }
            long wanted = random.nextLong(1, 1201);
            var cut = ages.cut(wanted);
            long beyond = java.util.Arrays.stream(minutes)
                    .filter(minute -> ages.ageClass(minute) > cut.ageClass())
                    .count();
            assertThat(beyond * 10 + cut.ofClass()).isEqualTo(Math.min(wanted, 1000));
            assertThat(cut.all()).isEqualTo(wanted > 1000);
        }
    }
}
