package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.NoCredentials;
import com.google.cloud.storage.BucketInfo;
import com.google.cloud.storage.StorageOptions;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.backend.access.Reach;
import dev.sluice.backend.clouds.Backends;
import dev.sluice.backend.peers.PeerServer;
import dev.sluice.backend.peers.RequiresPeer;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RequiresPeer("fake-gcs-server")
class GcsOnFakeServerTest extends BackendContract {
    private static final AtomicInteger BUCKETS = new AtomicInteger();

    @TempDir
    static Path folder;

    private PeerServer gcs;

    @BeforeAll
    void start() {
        gcs = PeerServer.fakeGcs(folder);
    }

    @AfterAll
    void stop() {
        if (gcs != null) {
            gcs.close();
        }
    }

    @Override
    Backend openEmpty(MeterRegistry registry) {
        return Backends.open(newBucket(gcs), SETTINGS, registry);
    }

    @Override
    Backend openMissing() {
        return Backends.open(anonymous("not-there", gcs), SETTINGS, new SimpleMeterRegistry());
    }

    private static BackendConnection newBucket(PeerServer server) {
        var name = "bucket-" + BUCKETS.incrementAndGet();
        StorageOptions.http()
                .setHost(server.url().toString())
                .setProjectId("test")
                .setCredentials(NoCredentials.getInstance())
                .build()
                .getService()
                .create(BucketInfo.of(name));
        return anonymous(name, server);
    }

    private static BackendConnection anonymous(String bucket, PeerServer server) {
        var address = BackendAddress.parse("gs://" + bucket).endpoint(server.url());
        return new BackendConnection(address, new BackendCredentials.Anonymous(), Reach.NAMED);
    }

    @Test
    void aKilledServerIsAnErrorAtTheReaderAndThenUnavailable(@TempDir Path own) throws IOException {
        try (var server = PeerServer.fakeGcs(own);
                var doomed = Backends.open(newBucket(server), SETTINGS, new SimpleMeterRegistry())) {
            long length = 24 << 20;
            doomed.put("large", length, Bytes.generated(length), Bytes.PLAIN, WriteCondition.NONE);
            try (var stream = doomed.get("large", BackendRead.WHOLE)) {
                assertThat(stream.body().next().hasRemaining()).isTrue();
                server.kill();
                assertThatThrownBy(() -> Bytes.discard(stream.body())).isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> doomed.head("large")).isInstanceOf(StoreException.BackendUnavailable.class);
        }
    }
}
