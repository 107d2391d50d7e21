package dev.sluice.common.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BootClockTest {
    /// The kernel's uptime counts suspension too.
    @Test
    void itIsTheKernelsUptime() throws IOException {
        var clock = new BootClock();
        double before = uptime();
        double now = clock.nanos() / 1e9;
        assertThat(now).isBetween(before - 0.02, uptime() + 0.02);
    }

    private static double uptime() throws IOException {
        return Double.parseDouble(Files.readString(Path.of("/proc/uptime")).split(" ")[0]);
    }
}
