package dev.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.config.ConfigFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutTest {
    private static Optional<List<String>> allowed(String host, String backends) {
        var settings = "[cluster]\nhost = \"%s\"\n%s".formatted(host, backends);
        var nodes = new Layout(Path.of("/d")).configs(ConfigFiles.cluster(settings, "sluice.toml"));
        var allowed =
                nodes.stream().map(node -> node.backends().allow()).distinct().toList();
        assertThat(allowed).hasSize(1);
        return allowed.getFirst();
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, true", "::1, true", "localhost, true", "0.0.0.0, false", "10.0.0.1, false"})
    void bucketsMayGiveAnyEndpointOnlyWhileTheClusterListensOnLoopback(String host, boolean any) {
        assertThat(allowed(host, "")).contains(any ? List.of("*") : List.of());
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1", "0.0.0.0"})
    void whatTheSettingsAllowIsWhatTheNodesAllow(String host) {
        assertThat(allowed(host, "[backends]\nallow = []\n")).contains(List.of());
        assertThat(allowed(host, "[backends]\nallow = [\"https://minio.example.com\"]\n"))
                .contains(List.of("https://minio.example.com"));
    }
}
