package dev.sluice.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProgressTest {
    private final StringWriter err = new StringWriter();

    private void transfer(boolean watched, long total) {
        try (var progress = new Progress(new PrintWriter(err), watched, "shard.tar")) {
            progress.begin(total);
            progress.moved(20 << 10);
            progress.objects(3);
        }
    }

    @Test
    void watchedTransferShowsItsNameAndBytesAndClearsTheLine() {
        transfer(true, 40 << 10);
        assertThat(err.toString())
                .contains("shard.tar", "50%", "20/40 KiB", "3 objects")
                .endsWith("\r\u001b[K")
                .doesNotContain("\n");
    }

    @Test
    void nothingIsDrawnAfterTheEnd() {
        for (int round = 0; round < 200; round++) {
            err.getBuffer().setLength(0);
            transfer(true, 40 << 10);
            assertThat(err.toString()).as("round %d", round).endsWith("\r\u001b[K");
        }
    }

    @Test
    void unknownLengthShowsNoPercentage() {
        transfer(true, -1);
        assertThat(err.toString()).contains("shard.tar", "MiB", "?");
    }

    @Test
    void unwatchedTransferWritesNothing() {
        transfer(false, 40 << 10);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void onlyTerminalDevicesAreTerminals(@TempDir Path folder) throws IOException {
        assertThat(Terminal.isTerminal(link(folder, "/dev/pts/3"))).isTrue();
        assertThat(Terminal.isTerminal(link(folder, "/dev/tty1"))).isTrue();
        assertThat(Terminal.isTerminal(link(folder, "/dev/null"))).isFalse();
        assertThat(Terminal.isTerminal(link(folder, "pipe:[81231]"))).isFalse();
        assertThat(Terminal.isTerminal(link(folder, "/var/log/put.log"))).isFalse();
        assertThat(Terminal.isTerminal(folder.resolve("closed"))).isFalse();
    }

    private static Path link(Path folder, String to) throws IOException {
        return Files.createSymbolicLink(folder.resolve("fd" + to.hashCode()), Path.of(to));
    }
}
