package dev.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessStampTest {
    @Test
    void aProcessIsKnownByNumberAndStart() {
        var mine = ProcessStamp.of(ProcessHandle.current().pid()).orElseThrow();
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
    void aProcessIsAliveUntilItsLastThreadHasEnded() throws IOException {
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutFirstThread.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("it has ended");
            var stamp = ProcessStamp.of(process.pid()).orElseThrow();
            assertThat(stamp.alive()).isTrue();
            Signals.kill(List.of(stamp));
            assertThat(stamp.alive()).isFalse();
        } finally {
            process.destroyForcibly();
        }
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
