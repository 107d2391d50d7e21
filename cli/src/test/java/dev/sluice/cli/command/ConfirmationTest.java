package dev.sluice.cli.command;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.failure.CommandFailure;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ConfirmationTest {
    private static void ask(String typed) {
        new Confirmation(Optional.of(_ -> typed)).require("shards/: all of it goes");
    }

    @Test
    void onlyYesIsConsent() {
        assertThatCode(() -> ask("y")).doesNotThrowAnyException();
        assertThatCode(() -> ask(" YES ")).doesNotThrowAnyException();
        assertThatThrownBy(() -> ask("")).isInstanceOf(CommandFailure.class).hasMessageContaining("not confirmed");
        assertThatThrownBy(() -> ask("no")).isInstanceOf(CommandFailure.class);
    }

    @Test
    void withoutATerminalNothingIsConfirmed() {
        assertThatThrownBy(() -> new Confirmation(Optional.empty()).require("shards/: all of it goes"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("--yes");
    }
}
