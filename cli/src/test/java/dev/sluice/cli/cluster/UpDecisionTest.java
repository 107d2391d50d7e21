package dev.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class UpDecisionTest {
    private static final ClusterFile RUNS = new ClusterFile(
            "http://h:8080",
            "http://h:8080",
            "AK",
            "SK",
            "",
            new ClusterFile.Started(1, 3, 2, "127.0.0.1", 8080, false, true),
            List.of());

    private static UpOptions options(Optional<Integer> port, Optional<Boolean> separate, Optional<Boolean> auth) {
        return new UpOptions(
                Optional.empty(),
                Optional.of(3),
                Optional.empty(),
                port,
                Optional.empty(),
                separate,
                auth,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    private static final UpOptions SAME = options(Optional.of(8080), Optional.empty(), Optional.of(true));

    @Test
    void nothingThere() {
        assertThat(UpDecision.decide(Optional.empty(), false, SAME, true, Map.of()))
                .isEqualTo(new UpDecision.Start(false));
    }

    @Test
    void aFileWithoutProcessesIsStale() {
        assertThat(UpDecision.decide(Optional.of(RUNS), false, SAME, true, Map.of()))
                .isEqualTo(new UpDecision.Start(true));
    }

    @Test
    void theSameOptionsFindTheSameCluster() {
        assertThat(UpDecision.decide(Optional.of(RUNS), true, SAME, true, Map.of("SLUICE_ACCESS_KEY", "AK")))
                .isEqualTo(new UpDecision.AlreadyRunning(RUNS));
    }

    @Test
    void otherOptionsAreNamed() {
        var asked = options(Optional.of(9090), Optional.of(true), Optional.of(false));
        assertThat(UpDecision.decide(Optional.of(RUNS), true, asked, true, Map.of("SLUICE_SECRET_KEY", "other")))
                .isEqualTo(new UpDecision.RunsDifferently(
                        RUNS,
                        List.of(
                                "--port 9090 (runs with 8080)",
                                "--separate true (runs with false)",
                                "--no-auth true (runs with false)",
                                "SLUICE_SECRET_KEY (runs with another key)")));
    }

    @Test
    void otherSettingsAreNamed() {
        var asked = new UpOptions(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(Path.of("my.toml")),
                false);
        assertThat(UpDecision.decide(Optional.of(RUNS), true, asked, false, Map.of()))
                .isEqualTo(
                        new UpDecision.RunsDifferently(RUNS, List.of("--config my.toml (runs with other settings)")));
        assertThat(UpDecision.decide(Optional.of(RUNS), true, asked, true, Map.of()))
                .isEqualTo(new UpDecision.AlreadyRunning(RUNS));
    }
}
