package dev.sluice.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.failure.CommandFailure;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class TransferTest {
    @Test
    void onlyWhatWasMovedAsAWholeCounts() {
        try (var transfer = new Transfer(new PrintWriter(new StringWriter()))) {
            transfer.submit("whole", moved -> {
                moved.accept(6);
                moved.accept(4);
            });
            transfer.submit("refused", moved -> {
                moved.accept(5);
                throw CommandFailure.failed("there is no such bucket");
            });
            var summary = transfer.finish();
            assertThat(summary.text("stored")).startsWith("stored 1 object, 10 B in");
            assertThat(summary.failures()).containsExactly("refused: there is no such bucket");
        }
    }
}
