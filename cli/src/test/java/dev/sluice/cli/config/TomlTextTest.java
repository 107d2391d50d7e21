package dev.sluice.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TomlTextTest {
    private static final String FILE = "# mine\n[cluster]\n# why\nport = 1\n\n[auth]\nport = 2\n";

    @Test
    void onlyTheLineOfTheKeyChanges() {
        assertThat(TomlText.set(FILE, "cluster", "port", "9"))
                .isEqualTo("# mine\n[cluster]\n# why\nport = 9\n\n[auth]\nport = 2\n");
    }

    @Test
    void aMissingKeyIsAddedToItsSection() {
        assertThat(TomlText.set(FILE, "auth", "enabled", "false"))
                .isEqualTo("# mine\n[cluster]\n# why\nport = 1\n\n[auth]\nenabled = false\nport = 2\n");
    }

    @Test
    void aMissingSectionIsAdded() {
        assertThat(TomlText.set("", "auth", "enabled", "false")).isEqualTo("\n[auth]\nenabled = false\n");
    }
}
