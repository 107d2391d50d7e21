package dev.sluice.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class JvmCommandTest {
    private static JvmCommand with(Map<String, String> environment) {
        return JvmCommand.ofInstallation(Path.of("/tree"), "Main", environment);
    }

    /// What `sluice env` has set in the shell from which a cluster is started again.
    @Test
    void nodesDoNotInheritWhatTheClientsOfTheirClusterAreToUse() {
        var shell = new TreeMap<>(Map.of(
                "AWS_ENDPOINT_URL", "http://127.0.0.1:8080",
                "AWS_ACCESS_KEY_ID", "SLOWN",
                "AWS_SECRET_ACCESS_KEY", "secret",
                "AWS_DEFAULT_REGION", "us-east-1",
                "AWS_CA_BUNDLE", "/tmp/ca.pem",
                "AWS_CONFIG_FILE", "/etc/aws",
                "HOME", "/root"));
        var others = new TreeMap<>(shell);
        with(Map.of()).withoutClientKey("SLOWN").inherit(shell);
        assertThat(shell).containsOnlyKeys("AWS_CONFIG_FILE", "HOME", "LC_ALL");
        with(Map.of()).withoutClientKey("SLANOTHER").inherit(others);
        assertThat(others).containsEntry("AWS_SECRET_ACCESS_KEY", "secret").containsKey("AWS_ENDPOINT_URL");
    }

    @Test
    void flagsOfTheEnvironmentComeBehindAllOthersSoThatTheyCount() {
        var usual = with(Map.of()).flags();
        assertThat(usual).startsWith("@/tree/jvm.flags");
        assertThat(with(Map.of("SLUICE_JVM_FLAGS", "  ")).flags()).isEqualTo(usual);
        var more = with(Map.of("SLUICE_JVM_FLAGS", " -Xmx1g   -Xlog:gc ")).flags();
        assertThat(more).startsWith(usual.toArray(String[]::new)).endsWith("-Xmx1g", "-Xlog:gc");
        assertThat(more).hasSize(usual.size() + 2);
        assertThat(with(Map.of()).with(new JvmMemory(1 << 30, 2 << 20)).flags())
                .startsWith("-Xmx1024m", "-XX:MaxDirectMemorySize=2m")
                .endsWith(usual.toArray(String[]::new));
    }
}
