package dev.sluice.targetnode.storage.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScrubSettingsTest {
    private static final long MIB = 1 << 20;

    @Test
    void theRateFollowsFromThePeriodWithinBounds() {
        var day = new ScrubSettings(Duration.ofHours(24), 0);
        assertThat(day.rate(86_400L * 50 * MIB)).isEqualTo(50 * MIB);
        assertThat(day.rate(1000)).as("small drives finish").isEqualTo(ScrubSettings.LEAST);
        assertThat(new ScrubSettings(Duration.ofHours(24), 20 * MIB).rate(86_400L * 50 * MIB))
                .isEqualTo(20 * MIB);
        assertThat(new ScrubSettings(Duration.ofHours(24), MIB).rate(1000)).isEqualTo(MIB);
    }
}
