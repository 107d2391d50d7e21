package dev.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JvmCommandTest {
    private static JvmCommand with(Map<String, String> environment) {
        return JvmCommand.ofInstallation(Path.of("/tree"), "Main", environment);
    }

    @Test
    void flagsOfTheEnvironmentComeBehindAllOthersSoThatTheyCount() {
        var usual = with(Map.of()).flags();
        assertThat(usual).startsWith("@/tree/deploy/jvm.flags");
        assertThat(with(Map.of("SLUICE_JVM_FLAGS", "  ")).flags()).isEqualTo(usual);
        var more = with(Map.of("SLUICE_JVM_FLAGS", " -Xmx1g   -Xlog:gc ")).flags();
        assertThat(more).startsWith(usual.toArray(String[]::new)).endsWith("-Xmx1g", "-Xlog:gc");
        assertThat(more).hasSize(usual.size() + 2);
    }
}
