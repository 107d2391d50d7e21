package dev.sluice.deploy;

import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.deploy.harness.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/// All clients against MinIO: the checks ask for S3's behaviour, not only for ours.
@Tag("long")
@RequiresPeer({"minio", "python", "aws", "s5cmd"})
final class StandInClientsTest extends ClientsTests {
    private final PeerServer minio = PeerServer.minio(folder());

    @Override
    Endpoint endpoint() {
        return new Endpoint(minio.url(), PeerServer.MINIO_USER, PeerServer.MINIO_PASSWORD);
    }

    @Override
    Map<String, String> environment() {
        return Map.of("SLUICE_STAND_IN", "MinIO");
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("stand-in");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nested
    class AwsSdkForJava extends AwsSdkForJavaTests {
        AwsSdkForJava() {
            super(endpoint());
        }
    }

    @AfterAll
    void stop() {
        minio.close();
    }
}
