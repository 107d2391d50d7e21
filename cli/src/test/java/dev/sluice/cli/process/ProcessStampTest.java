package dev.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessStampTest {
    @Test
    void aProcessIsKnownByNumberAndStart() {
        var mine = ProcessStamp.ofThisProcess();
        assertThat(mine.alive()).isTrue();
        assertThat(new ProcessStamp(mine.pid(), "another-start").alive()).isFalse();
    }

    @Test
    void aStoppedProcessIsNotAlive() throws IOException {
        var process = new ProcessBuilder("sleep", "60").start();
        var stamp = ProcessStamp.of(process.pid()).orElseThrow();
        assertThat(stamp.alive()).isTrue();
        assertThat(Signals.stop(List.of(stamp), Duration.ofSeconds(10))).isEmpty();
        assertThat(stamp.alive()).isFalse();
    }

    @Test
    void whatDoesNotStopIsKilled() throws IOException {
        var process = new ProcessBuilder("bash", "-c", "trap '' TERM; echo deaf; while :; do read -t 60 <> <(:); done")
                .start();
        assertThat(process.getInputStream().read()).isEqualTo('d');
        var stamp = ProcessStamp.of(process.pid()).orElseThrow();
        assertThat(Signals.stop(List.of(stamp), Duration.ofMillis(100))).containsExactly(stamp);
        assertThat(stamp.alive()).isFalse();
    }

    @Test
    void aProcessWithTheSameNumberIsLeftAlone() throws IOException {
        var process = new ProcessBuilder("sleep", "60").start();
        try {
            Signals.kill(List.of(new ProcessStamp(process.pid(), "earlier")));
            assertThat(process.isAlive()).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
