package dev.sluice.deploy.harness;

import dev.sluice.backend.peers.PeerServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// One cluster per mode for all tests of this JVM, started when first asked for and ended after the last test.
final class SharedClusters implements ParameterResolver {
    /// Set for processes that outlive the class that starts them.
    static final String SHARED = "SLUICE_TEST_SHARED";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.isAnnotated(Running.class)
                && parameter.getParameter().getType().equals(SluiceCluster.class);
    }

    @Override
    public SluiceCluster resolveParameter(ParameterContext parameter, ExtensionContext test) {
        var mode = parameter.findAnnotation(Running.class).orElseThrow().value();
        var store = test.getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.create(SharedClusters.class));
        return store.computeIfAbsent(mode, Shared::start, Shared.class).cluster;
    }

    private record Shared(Path folder, SluiceCluster cluster) implements AutoCloseable {
        static Shared start(Mode mode) {
            try {
                var folder = Files.createTempDirectory("sluice-" + mode.name().toLowerCase(java.util.Locale.ROOT));
                var cluster = SluiceCluster.start(folder.resolve("cluster"), cloudKeys(folder), mode.options());
                return new Shared(folder, cluster);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            cluster.close();
            try (var files = Files.walk(folder)) {
                for (var path : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static Map<String, String> cloudKeys(Path folder) throws IOException {
        var file = folder.resolve("credentials");
        Files.writeString(file, """
                [%s]
                aws_access_key_id = %s
                aws_secret_access_key = %s
                [%s]
                aws_access_key_id = stranger
                aws_secret_access_key = not-the-secret
                """.formatted(
                        Running.PROFILE, PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD, Running.STRANGER));
        return Map.of(
                "AWS_SHARED_CREDENTIALS_FILE",
                file.toString(),
                "AWS_CONFIG_FILE",
                "/dev/null",
                SHARED,
                "by all tests of the run");
    }
}
